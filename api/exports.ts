import * as v from 'valibot'
import type { Services } from '../src/services.ts'
import type { Caller } from '../src/users/caller.ts'
import { sectionsOfAccount, sectionsOfWorkspace } from './export/sections.ts'
import { writeDocument, type Section } from './export/write.ts'
import { route } from './route/route.ts'
import { field, freeObject, named } from './schemas/documented.ts'
import { idOf } from './schemas/example-ids.ts'
import { time } from './schemas/schemas.ts'
import { streamDocument } from './streams/document.ts'
import { workspaceNamed } from './route/resources.ts'

const records = (about: string) =>
  field(v.optional(v.array(freeObject('ExportRecord', 'Record as the API shows it'))), about)
const record = (about: string) => field(v.optional(freeObject('ExportOne', 'Record as the API shows it')), about)

const shared = {
  format: field(v.literal('switchyard-export'), 'Kind of document'),
  version: field(v.literal(1), 'Version of the format. Adding fields does not change the version.'),
  exportedAt: field(time, 'When the export started'),
  platform: field(v.string(), 'Installation that created the export', 'https://switchyard.example.com'),
  about: field(freeObject('ExportAbout', 'Explanations by field name'), 'Explanation of each of the other fields'),
  billing: record('Tier, subscription and credits'),
  ledger: records('Credits that were granted and used'),
  apiKeys: records('API keys, without their secrets'),
  vault: records(
    'Connected sites, with `calls`, `refreshes`, `manifestChanges` and `confirmedEffects`, but without their credentials',
  ),
  documents: records('Uploaded OpenAPI documents'),
  calls: records('Direct tool calls to sites that are no longer connected or now have another owner'),
  agents: records('Agents, with their scheduled times (`fires`) and `refusedDeliveries` but without their secrets'),
  runs: records('Runs, including their `timeline` and `callbacks`'),
  sessions: records('Chat sessions, including `messages`'),
  approvals: records('Tool calls that needed approval'),
  notifications: records('Notifications for the owner'),
  notificationWebhook: record('Webhook for notifications, without its secret'),
  audit: records('Audit log entries'),
  complete: field(v.literal(true), 'Always the last field. Without it, the export is incomplete.'),
}
const accountExport = named(
  'AccountExport',
  v.object({
    ...shared,
    userId: idOf('user', 'Id of the user'),
    account: record('The account and its settings'),
    workspaces: records('Workspaces that the account is a member of'),
    logins: records('Active sign-in sessions'),
    apps: records('Connected apps'),
    identities: records('Linked sign-in providers'),
    secondFactor: record('Whether signing in requires a code'),
    paymentMethods: records('Payment methods'),
    payments: records('Payments made by the account'),
    topUp: record('Automatic top-up settings'),
  }),
  'Everything in an account except secrets',
)
const workspaceExport = named(
  'WorkspaceExport',
  v.object({
    ...shared,
    workspaceId: idOf('workspace', 'Id of the workspace'),
    workspace: record('The workspace and its settings'),
    members: records('Workspace members'),
    signIn: record('Sign-in provider, without the secret'),
    invitations: records('Open invitations'),
    months: records('Credits used in each month'),
  }),
  'Everything in a workspace except secrets',
)

const how =
  'Streams one JSON object. If its last field is not `complete`, the export is incomplete. An account can run one export at ' +
  'a time (`RATE_LIMITED`).'
const guide = 'See [Export and deletion](/docs/how-to/export-and-deletion).'

const headOf = ({ clock, config }: Services) => ({
  format: 'switchyard-export',
  version: 1,
  exportedAt: clock.now(),
  platform: config.http.baseUrl,
})

/** An export shows what a read-only API key would see. */
const withoutSecrets = (caller: Caller): Caller => ({ ...caller, scopes: ['read'] })

/** Starts one export per account, across all processes. Fails with RATE_LIMITED while another one is running. */
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
  summary: 'Export your account',
  description: `Works until the account is deleted. Workspaces have their own exports. ${how} ${guide}`,
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
  summary: 'Export a workspace',
  description: `Also works for a closed workspace. ${how} Requires the \`admin\` or \`owner\` role. ${guide}`,
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
