import * as v from 'valibot'
import type { Services } from '../src/services.ts'
import type { Caller } from '../src/users/caller.ts'
import { sectionsOfAccount, sectionsOfWorkspace } from './export/sections.ts'
import { writeDocument, type Section } from './export/write.ts'
import { route } from './route/route.ts'
import { field, freeObject, named } from './schemas/documented.ts'
import { id, time } from './schemas/schemas.ts'
import { streamDocument } from './streams/document.ts'
import { workspaceNamed } from './route/resources.ts'

const records = (about: string) =>
  field(v.optional(v.array(freeObject('ExportRecord', 'As the operations of the API show it'))), about)
const record = (about: string) =>
  field(v.optional(freeObject('ExportOne', 'As the operation of the API shows it')), about)

const shared = {
  format: field(v.literal('switchyard-export'), 'What the document is'),
  version: field(v.literal(1), 'Of the format; a member that is added does not change it'),
  exportedAt: field(time, 'When it was begun'),
  platform: field(v.string(), 'Where it comes from', 'https://switchyard.example.com'),
  about: field(freeObject('ExportAbout', 'Sentences by the names of members'), 'What each of the other members is'),
  billing: record('Tier, subscription and credits'),
  ledger: records('Credits that were granted and used'),
  apiKeys: records('API keys, without their secrets'),
  vault: records('Connected sites, without credentials, with `calls`, `refreshes` and `manifestChanges`'),
  calls: records('Direct calls of sites that are connected no more, or belong to somebody else now'),
  agents: records('Agents, without secrets, with the `fires` of their schedules'),
  runs: records('Runs, with their `timeline` and `callbacks`'),
  sessions: records('Chat sessions, with `messages`'),
  approvals: records('Tool calls that somebody was asked to approve'),
  notifications: records('What the platform told'),
  audit: records('Who did what'),
  complete: field(v.literal(true), 'The last member: without it something is missing'),
}
const accountExport = named(
  'AccountExport',
  v.object({
    ...shared,
    userId: field(id, 'Whose it is'),
    account: record('The account'),
    workspaces: records('Workspaces that the account is a member of'),
    logins: records('Logins that can be used still'),
    identities: records('Sign-in providers that are linked'),
    secondFactor: record('Whether logins need a code'),
    paymentMethods: records('Cards'),
    payments: records('What was paid'),
    topUp: record('How credits are bought automatically'),
  }),
  'Everything of an account, without secrets',
)
const workspaceExport = named(
  'WorkspaceExport',
  v.object({
    ...shared,
    workspaceId: field(id, 'Whose it is'),
    workspace: record('The workspace'),
    members: records('Its members'),
    signIn: record('How members sign in to it alone, without the secret of its provider'),
    invitations: records('Invitations'),
    months: records('Credits that it has used in each month'),
  }),
  'Everything of a workspace, without secrets',
)

const how =
  'One JSON object, which comes as it is read, without a `Content-Length`. It is complete only if its last member is ' +
  '`complete`: after a failure, and when the permission ends, the connection is cut before. One export at a time for ' +
  'each account (RATE_LIMITED).'

const headOf = ({ clock, config }: Services) => ({
  format: 'switchyard-export',
  version: 1,
  exportedAt: clock.now(),
  platform: config.http.baseUrl,
})

/** An export shows what an API key that may only read would see. */
const withoutSecrets = (caller: Caller): Caller => ({ ...caller, scopes: ['read'] })

/** Exports take turns, one for each account, on all processes together. RATE_LIMITED while another one continues. */
async function documentOf(services: Services, { userId }: Caller, head: object, sections: Section[]) {
  const turn = await services.exportTurns.take(userId)
  return streamDocument(() => writeDocument({ ...headOf(services), ...head }, sections), turn.end)
}

export const exportAccount = route({
  tag: 'auth',
  name: 'exportAccount',
  audit: { subject: 'account' },
  method: 'get',
  path: '/auth/me/export',
  summary: 'Export everything of the account',
  description: `Workspaces have exports of their own. Also while the account can be restored. ${how}`,
  access: 'login',
  terms: false,
  whileClosing: true,
  status: 200,
  response: accountExport,
  async handle({ services, caller }) {
    const asking = { services, caller: withoutSecrets(caller), ownerId: caller.userId }
    return documentOf(services, caller, { userId: caller.userId }, sectionsOfAccount(asking))
  },
})

export const exportWorkspace = route({
  tag: 'workspaces',
  name: 'exportWorkspace',
  audit: { subject: 'workspace' },
  method: 'get',
  path: '/workspaces/{workspaceId}/export',
  summary: 'Export everything of a workspace',
  description: `For admins and the owner, also of a workspace that is closed, and while your own account can be restored. ${how}`,
  access: 'login',
  needs: 'administer',
  whenClosed: true,
  whileClosing: true,
  status: 200,
  response: workspaceExport,
  resource: workspaceNamed,
  codes: ['WORKSPACE_NOT_FOUND'],
  async handle({ services, caller, resource }) {
    const asking = { services, caller: withoutSecrets(caller), ownerId: resource.id }
    return documentOf(services, caller, { workspaceId: resource.id }, sectionsOfWorkspace(asking, resource))
  },
})
