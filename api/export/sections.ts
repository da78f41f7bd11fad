import * as v from 'valibot'
import { monthsOf } from '../../src/owners/workspace-months.ts'
import type { VaultEntry } from '../../src/vault/vault-entry.ts'
import * as agentVersions from '../agent-versions.ts'
import * as agents from '../agents.ts'
import * as apiKeys from '../api-keys.ts'
import * as apps from '../apps.ts'
import * as approvals from '../approvals.ts'
import * as audit from '../audit.ts'
import * as auth from '../auth.ts'
import * as billing from '../billing.ts'
import * as callbacks from '../callbacks.ts'
import * as calls from '../calls.ts'
import * as chat from '../chat.ts'
import * as documents from '../documents.ts'
import * as invitations from '../invitations.ts'
import * as logins from '../logins.ts'
import * as manifests from '../manifests.ts'
import * as members from '../members.ts'
import * as notificationWebhooks from '../notification-webhooks.ts'
import * as notifications from '../notifications.ts'
import * as refusedDeliveries from '../refused-deliveries.ts'
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
import { all, allByNumber, read, readIfExists, type Asking } from './read-lists.ts'
import type { Item, Section } from './write.ts'

/** The records of a list, without their own lists. */
async function* plain(route: AnyRoute, asking: Asking, more?: object): AsyncGenerator<Item> {
  for await (const record of all(route, asking, more)) yield { record }
}

/** The records of a list, each read in full and with its own lists. */
async function* whole(list: AnyRoute, asking: Asking, readOne: (id: string) => Promise<Item>): AsyncGenerator<Item> {
  for await (const listed of all(list, asking)) {
    yield* readIfExists(() => readOne((listed as { id: string }).id))
  }
}

async function agentItem(asking: Asking, id: string): Promise<Item> {
  const resource = await asking.services.agents.get(asking.ownerId, id)
  const fires = all(schedules.listFires, asking, { resource })
  const lists = { fires, versions: versionsOf(asking, resource), refusedDeliveries: refusedOf(asking, resource) }
  return { record: await read(agents.getAgent, asking, { resource }), lists }
}

async function* versionsOf(asking: Asking, resource: object): AsyncGenerator<object> {
  for await (const listed of all(agentVersions.listAgentVersions, asking, { resource })) {
    const params = { version: String((listed as { version: number }).version) }
    yield* readIfExists(() => read(agentVersions.getAgentVersion, asking, { resource, params }))
  }
}

async function* refusedOf(asking: Asking, resource: object): AsyncGenerator<object> {
  const { items } = (await read(refusedDeliveries.listRefusedDeliveries, asking, { resource })) as { items: object[] }
  yield* items
}

async function runItem(asking: Asking, id: string): Promise<Item> {
  const resource = await asking.services.runs.reading.get(asking.ownerId, id)
  const timeline = allByNumber(runEvents.listEvents, asking, { resource }, { limit: 200 })
  const callback = readIfExists(() => read(callbacks.getCallback, asking, { resource }))
  return { record: await read(runs.getRun, asking, { resource }), lists: { timeline, callbacks: callback } }
}

async function entryItem(asking: Asking, id: string): Promise<Item> {
  const resource = await asking.services.vault.get(asking.ownerId, id)
  const lists = {
    calls: callsOf(asking, resource),
    refreshes: all(refreshes.listRefreshes, asking, { resource }),
    manifestChanges: all(manifests.listManifestChanges, asking, { resource }),
    confirmedEffects: confirmedEffectsOf(resource),
  }
  return { record: await read(vault.getVaultEntry, asking, { resource }), lists }
}

async function* confirmedEffectsOf({ confirmedEffects }: VaultEntry): AsyncGenerator<object> {
  for (const [tool, effect] of Object.entries(confirmedEffects)) yield { tool, effect }
}

async function* callsOf(asking: Asking, resource: object): AsyncGenerator<object> {
  for await (const listed of all(calls.listCalls, asking, { resource })) {
    const params = { callId: (listed as { id: string }).id }
    yield* readIfExists(() => read(calls.getCall, asking, { resource, params }))
  }
}

async function* documentItems(asking: Asking): AsyncGenerator<Item> {
  const { services, ownerId } = asking
  for (const { id } of await services.documents.list(ownerId)) {
    const readOne = async () => {
      const resource = await services.documents.get(ownerId, id)
      return { record: await read(documents.getDocument, asking, { resource }) }
    }
    yield* readIfExists(readOne)
  }
}

async function sessionItem(asking: Asking, id: string): Promise<Item> {
  const { services, ownerId } = asking
  const session = await services.sessions.get(ownerId, id)
  const messages = allByNumber(chat.listChatMessages, asking, { proven: { session } }, { limit: 50, branch: 'all' })
  return { record: v.parse(sessionSchema, await presentWhole(services, session)), lists: { messages } }
}

const ofOwner = (asking: Asking): Section[] => [
  {
    name: 'billing',
    about: 'The tier, its limits, the subscription and the remaining credits',
    content: () => read(billing.getBilling, asking),
  },
  {
    name: 'ledger',
    about: 'Credits granted and used, newest first, including run and step ids',
    content: () => plain(billing.listLedger, asking),
  },
  { name: 'apiKeys', about: 'API keys, without their secrets', content: () => plain(apiKeys.listApiKeys, asking) },
  {
    name: 'vault',
    about:
      'Connected sites, including direct tool calls, token refreshes, manifest changes and confirmed effects, but without credentials',
    content: () => whole(vault.listVault, asking, (id) => entryItem(asking, id)),
  },
  {
    name: 'documents',
    about: 'Uploaded OpenAPI documents, newest first',
    content: () => documentItems(asking),
  },
  {
    name: 'calls',
    about: 'Direct tool calls to sites that are no longer connected or have been moved, newest first',
    content: () => formerCalls(asking),
  },
  {
    name: 'agents',
    about:
      'Agents, including prompts, schemas, settings, versions, scheduled times and refused deliveries, but without secrets',
    content: () => whole(agents.listAgents, asking, (id) => agentItem(asking, id)),
  },
  {
    name: 'runs',
    about:
      'Runs of all agents, including deleted agents, newest first. The timeline contains the input, the instructions, each step, each tool call with arguments and result, and the outcome. `callbacks` contains the callbacks that were sent',
    content: () => whole(runs.listRuns, asking, (id) => runItem(asking, id)),
  },
  {
    name: 'sessions',
    about: 'Chat sessions, newest first, including the messages of every branch',
    content: () => whole(sessions.listSessions, asking, (id) => sessionItem(asking, id)),
  },
  {
    name: 'approvals',
    about: 'Tool calls that needed approval, and the decisions',
    content: () => plain(approvals.listApprovals, asking),
  },
  {
    name: 'notifications',
    about: 'Notifications',
    content: () => plain(notifications.listNotifications, asking),
  },
  {
    name: 'notificationWebhook',
    about: 'The webhook for notifications, without its secret',
    content: () => read(notificationWebhooks.getNotificationWebhook, asking),
  },
  {
    name: 'audit',
    about: 'The audit log, newest first: who did what, from where, including the values before and after',
    content: () => plain(audit.listAudit, asking),
  },
]

export const sectionsOfAccount = (asking: Asking): Section[] => [
  { name: 'account', about: 'Account', content: () => read(auth.me, asking) },
  {
    name: 'workspaces',
    about: 'Workspaces that the account is a member of. Each has its own export',
    content: () => plain(workspaces.listWorkspaces, asking),
  },
  { name: 'apps', about: 'Connected apps', content: () => plain(apps.listApps, asking) },
  { name: 'logins', about: 'Active sign-in sessions', content: () => plain(logins.listLogins, asking) },
  {
    name: 'identities',
    about: 'Linked sign-in providers',
    content: () => plain(signIn.listIdentities, asking),
  },
  {
    name: 'secondFactor',
    about: 'Whether signing in requires an authenticator code. The secret is not included',
    content: () => read(totp.getTotp, asking),
  },
  {
    name: 'paymentMethods',
    about: 'Payment cards, without full numbers',
    content: () => plain(billing.listPaymentMethods, asking),
  },
  {
    name: 'payments',
    about: 'Payments, newest first',
    content: () => plain(payments.listPayments, asking),
  },
  {
    name: 'topUp',
    about: 'Settings for automatic credit purchases',
    content: () => read(payments.getTopUp, asking),
  },
  ...ofOwner(asking),
]

export const sectionsOfWorkspace = (asking: Asking, resource: { id: string }): Section[] => [
  {
    name: 'workspace',
    about: 'Workspace',
    content: () => read(workspaces.getWorkspace, asking, { resource }),
  },
  { name: 'members', about: 'The members', content: () => plain(members.listMembers, asking, { resource }) },
  {
    name: 'signIn',
    about: 'The sign-in provider with its URLs, without the secret',
    content: () => read(workspaceSignIn.getWorkspaceSignIn, asking, { resource }),
  },
  {
    name: 'invitations',
    about: 'Invitations, without tokens',
    content: () => plain(invitations.listInvitations, asking, { resource }),
  },
  {
    name: 'months',
    about: 'Credits used in each calendar month (UTC)',
    content: () => months(asking),
  },
  ...ofOwner(asking),
]

async function* months({ services, ownerId }: Asking): AsyncGenerator<Item> {
  for (const record of await monthsOf(services.database, ownerId)) yield { record }
}
