import * as v from 'valibot'
import { fieldsOf } from '../src/database/row.ts'
import { route } from './route/route.ts'
import { adminUser, presentAdminUser } from './schemas/admin-schema.ts'
import { field, named, whole } from './schemas/documented.ts'
import { idOf } from './schemas/example-ids.ts'
import { listOf, pageOf, paging, text, time } from './schemas/schemas.ts'

const shared = { tag: 'admin', access: 'admin', method: 'get', status: 200 } as const

export const listUsers = route({
  ...shared,
  name: 'listUsers',
  path: '/admin/users',
  summary: 'List accounts',
  description: 'Newest first. Set `email` to find one account.',
  query: v.strictObject({
    ...paging,
    email: v.optional(field(text(254), 'Return only the account with this email address')),
  }),
  response: pageOf(adminUser),
  async handle({ services, query }) {
    const page = await services.overview.users(query)
    return { ...page, items: page.items.map(presentAdminUser) }
  },
})

const place = named(
  'AdminWorkspace',
  v.object({
    id: idOf('workspace'),
    name: field(v.string(), 'Name of the workspace', 'Support'),
    createdAt: time,
    deletedAt: field(v.nullable(time), 'When the workspace was deleted', null),
    payerId: idOf('user', 'Owner, who pays for the workspace'),
    payerEmail: field(v.string(), 'Email address of the workspace owner', 'ada@example.com'),
    members: field(whole, 'Number of members', 3),
  }),
  'Workspace, as operators see it',
)

export const listAllWorkspaces = route({
  ...shared,
  name: 'listAllWorkspaces',
  path: '/admin/workspaces',
  summary: 'List all workspaces',
  description: 'Newest first. Deleted workspaces stay listed until all their data is gone.',
  query: v.strictObject(paging),
  response: pageOf(place),
  async handle({ services, query }) {
    const page = await services.overview.workspaces(query)
    return { ...page, items: page.items.map(fieldsOf) }
  },
})

const count = (meaning: string, example = 3) => field(whole, meaning, example)
const stats = named(
  'Stats',
  v.object({
    users: count('Number of accounts'),
    workspaces: count('Number of workspaces'),
    agents: count('Number of agents'),
    queuedRuns: count('Number of queued runs'),
    runningRuns: count('Number of runs in progress'),
    waitingRuns: count('Number of waiting runs'),
    endedRuns: count('Runs that ended in the last 24 hours'),
    failedRuns: count('Runs that failed in the last 24 hours'),
    pendingCallbacks: count('Callbacks that have not been delivered yet'),
    pendingMails: count('Emails waiting to be sent'),
    timeZoneData: field(v.string(), 'Version of the IANA time zone data in the API process', '2026c'),
  }),
  'Totals for the whole platform',
)

export const getStats = route({
  ...shared,
  name: 'getStats',
  path: '/admin/stats',
  summary: 'Get platform totals',
  description: 'Counts users, workspaces, agents, runs, callbacks and emails at the time of the request.',
  response: stats,
  handle: async ({ services }) => ({ ...(await services.overview.stats()), timeZoneData: process.versions.tz ?? '' }),
})

const standing = named(
  'AdminModel',
  v.object({
    name: field(v.string(), 'Name to use in agents and sessions', 'gpt-5-mini'),
    id: field(v.string(), 'Id of the model at the provider', 'gpt-5-mini'),
    isDefault: field(v.boolean(), 'Whether agents without a `model` use this model'),
    provider: named(
      'AdminProvider',
      v.object({
        name: field(v.string(), 'Name in the configuration', 'openai'),
        kind: field(v.string(), "Protocol of the provider's API", 'openai'),
        host: field(v.nullable(v.string()), "Host of the provider's API, if not the default", null),
        concurrency: field(whole, 'Maximum number of requests that one worker makes at the same time', 100),
        waitingRuns: field(whole, 'Number of runs that are waiting for the provider', 0),
      }),
      'Provider of a model',
    ),
    outage: field(
      v.nullable(
        named(
          'ModelOutage',
          v.object({
            beganAt: field(time, 'When the outage began'),
            message: field(v.string(), 'Problem, as owners see it', 'The AI provider could not be reached.'),
            providerSaid: field(v.nullable(v.string()), 'Message from the provider, with your keys removed', null),
            lastFailedAt: field(time, 'When the last request failed'),
            nextProbeAt: field(time, 'When the model will be tried again'),
            waitingRuns: field(whole, 'Number of runs that are waiting for the model', 0),
          }),
          'Period when the model is unavailable',
        ),
      ),
      'Current outage. Null if there is none.',
      null,
    ),
  }),
  'Configured model, as operators see it',
)

export const listConfiguredModels = route({
  ...shared,
  name: 'listConfiguredModels',
  path: '/admin/models',
  summary: 'List configured models',
  description:
    "Shows each model's provider and any outage, but no keys. A model that was removed from the configuration " +
    'stays listed, with the provider kind `none`, while runs are waiting for that model. See [Models](/docs/operate/models).',
  response: listOf(standing),
  handle: async ({ services }) => ({ items: await services.overview.models() }),
})
