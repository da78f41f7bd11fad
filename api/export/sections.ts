import * as v from 'valibot'
import { monthsOf } from '../../src/owners/months.ts'
import * as agents from '../agents.ts'
import * as apiKeys from '../api-keys.ts'
import * as approvals from '../approvals.ts'
import * as audit from '../audit.ts'
import * as auth from '../auth.ts'
import * as billing from '../billing.ts'
import * as callbacks from '../callbacks.ts'
import * as calls from '../calls.ts'
import * as chat from '../chat.ts'
import * as invitations from '../invitations.ts'
import * as logins from '../logins.ts'
import * as manifests from '../manifests.ts'
import * as members from '../members.ts'
import * as notifications from '../notifications.ts'
import * as refreshes from '../refreshes.ts'
import * as payments from '../payments.ts'
import type { AnyRoute } from '../route/route.ts'
import * as runEvents from '../run-events.ts'
import * as runs from '../runs.ts'
import * as schedules from '../schedules.ts'
import { presentWhole, session as sessionSchema } from '../schemas/session-schema.ts'
import * as sessions from '../sessions.ts'
import * as vault from '../vault.ts'
import * as signIn from '../sign-in.ts'
import * as totp from '../totp.ts'
import * as workspaceSignIn from '../workspace-sign-in.ts'
import * as workspaces from '../workspaces.ts'
import { formerCalls } from './former-calls.ts'
import { all, allAfter, read, readIfThere, type Asking } from './walk.ts'
import type { Item, Section } from './write.ts'

/** The records of a list, without anything that belongs to them. */
async function* plain(route: AnyRoute, asking: Asking, more?: object): AsyncGenerator<Item> {
  for await (const record of all(route, asking, more)) yield { record }
}

/** The records of a list, each read anew with what lists leave out, and with lists of its own. */
async function* whole(list: AnyRoute, asking: Asking, readOne: (id: string) => Promise<Item>): AsyncGenerator<Item> {
  for await (const listed of all(list, asking)) {
    yield* readIfThere(() => readOne((listed as { id: string }).id))
  }
}

async function agentItem(asking: Asking, id: string): Promise<Item> {
  const resource = await asking.services.agents.get(asking.ownerId, id)
  const fires = all(schedules.listFires, asking, { resource })
  return { record: await read(agents.getAgent, asking, { resource }), lists: { fires } }
}

async function runItem(asking: Asking, id: string): Promise<Item> {
  const resource = await asking.services.runs.reading.get(asking.ownerId, id)
  const timeline = allAfter(runEvents.listEvents, asking, { resource }, { limit: 200 })
  const callback = readIfThere(() => read(callbacks.getCallback, asking, { resource }))
  return { record: await read(runs.getRun, asking, { resource }), lists: { timeline, callbacks: callback } }
}

async function entryItem(asking: Asking, id: string): Promise<Item> {
  const resource = await asking.services.vault.get(asking.ownerId, id)
  const lists = {
    calls: callsOf(asking, resource),
    refreshes: all(refreshes.listRefreshes, asking, { resource }),
    manifestChanges: all(manifests.listManifestChanges, asking, { resource }),
  }
  return { record: await read(vault.getVaultEntry, asking, { resource }), lists }
}

async function* callsOf(asking: Asking, resource: object): AsyncGenerator<object> {
  for await (const listed of all(calls.listCalls, asking, { resource })) {
    const params = { callId: (listed as { id: string }).id }
    yield* readIfThere(() => read(calls.getCall, asking, { resource, params }))
  }
}

async function sessionItem(asking: Asking, id: string): Promise<Item> {
  const { services, ownerId } = asking
  const session = await services.sessions.get(ownerId, id)
  const messages = allAfter(chat.listChatMessages, asking, { proven: { session } }, { limit: 50, branch: 'all' })
  return { record: v.parse(sessionSchema, await presentWhole(services, session)), lists: { messages } }
}

/** What every owner has. */
const ofOwner = (asking: Asking): Section[] => [
  {
    name: 'billing',
    about: 'The tier, its limits, the subscription and the credits that are left',
    content: () => read(billing.getBilling, asking),
  },
  {
    name: 'ledger',
    about: 'Credits that were granted and used, newest first. Ids name runs and steps',
    content: () => plain(billing.listLedger, asking),
  },
  { name: 'apiKeys', about: 'API keys, without their secrets', content: () => plain(apiKeys.listApiKeys, asking) },
  {
    name: 'vault',
    about: 'Connected sites, without credentials; direct tool calls, renewals of tokens, and changes of manifests',
    content: () => whole(vault.listVault, asking, (id) => entryItem(asking, id)),
  },
  {
    name: 'calls',
    about: 'Direct tool calls of sites that are connected no more, or belong to somebody else now, newest first',
    content: () => formerCalls(asking),
  },
  {
    name: 'agents',
    about: 'Agents with prompts, schemas and settings, without secrets; the fires of their schedules',
    content: () => whole(agents.listAgents, asking, (id) => agentItem(asking, id)),
  },
  {
    name: 'runs',
    about:
      'Runs of all agents, deleted ones included, newest first. The timeline has what was received, the instructions in force, each step, each tool call with arguments and result, and the ending; callbacks has what was posted about it',
    content: () => whole(runs.listRuns, asking, (id) => runItem(asking, id)),
  },
  {
    name: 'sessions',
    about: 'Chat sessions, newest first, with what was said, on every branch',
    content: () => whole(sessions.listSessions, asking, (id) => sessionItem(asking, id)),
  },
  {
    name: 'approvals',
    about: 'Tool calls that somebody was asked to approve, and what was decided',
    content: () => plain(approvals.listApprovals, asking),
  },
  {
    name: 'notifications',
    about: 'What the platform told about agents and sites',
    content: () => plain(notifications.listNotifications, asking),
  },
  {
    name: 'audit',
    about: 'Who did what, from where, newest first, with what was before and after',
    content: () => plain(audit.listAudit, asking),
  },
]

export const sectionsOfAccount = (asking: Asking): Section[] => [
  { name: 'account', about: 'The account', content: () => read(auth.me, asking) },
  {
    name: 'workspaces',
    about: 'Workspaces that the account is a member of; each has an export of its own',
    content: () => plain(workspaces.listWorkspaces, asking),
  },
  { name: 'logins', about: 'Logins that can be used still', content: () => plain(logins.listLogins, asking) },
  {
    name: 'identities',
    about: 'Sign-in providers that are linked',
    content: () => plain(signIn.listIdentities, asking),
  },
  {
    name: 'secondFactor',
    about: 'Whether logins need a code of an authenticator app, without its secret',
    content: () => read(totp.getTotp, asking),
  },
  {
    name: 'paymentMethods',
    about: 'Cards, as far as the platform knows them',
    content: () => plain(billing.listPaymentMethods, asking),
  },
  {
    name: 'payments',
    about: 'What was paid, newest first',
    content: () => plain(payments.listPayments, asking),
  },
  {
    name: 'topUp',
    about: 'How credits are bought automatically',
    content: () => read(payments.getTopUp, asking),
  },
  ...ofOwner(asking),
]

export const sectionsOfWorkspace = (asking: Asking, resource: { id: string }): Section[] => [
  {
    name: 'workspace',
    about: 'The workspace',
    content: () => read(workspaces.getWorkspace, asking, { resource }),
  },
  { name: 'members', about: 'Its members', content: () => plain(members.listMembers, asking, { resource }) },
  {
    name: 'signIn',
    about: 'Its sign-in provider, without the secret, and the addresses for it',
    content: () => read(workspaceSignIn.getWorkspaceSignIn, asking, { resource }),
  },
  {
    name: 'invitations',
    about: 'Invitations, without their tokens',
    content: () => plain(invitations.listInvitations, asking, { resource }),
  },
  {
    name: 'months',
    about: 'How many credits it has used in each calendar month (UTC)',
    content: () => months(asking),
  },
  ...ofOwner(asking),
]

async function* months({ services, ownerId }: Asking): AsyncGenerator<Item> {
  for (const record of await monthsOf(services.database, ownerId)) yield { record }
}
