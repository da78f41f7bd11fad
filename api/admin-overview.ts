import * as v from 'valibot'
import { fieldsOf } from '../src/database/row.ts'
import { route } from './route/route.ts'
import { adminUser, presentAdminUser } from './schemas/admin-schema.ts'
import { field, named, whole } from './schemas/documented.ts'
import { id, listOf, pageOf, paging, text, time } from './schemas/schemas.ts'

const shared = { tag: 'admin', access: 'admin', method: 'get', status: 200 } as const

export const listUsers = route({
  ...shared,
  name: 'listUsers',
  path: '/admin/users',
  summary: 'List the accounts, newest first',
  description: 'Or the one that has an address.',
  query: v.strictObject({ ...paging, email: v.optional(field(text(254), 'Only the account with this address')) }),
  response: pageOf(adminUser),
  async handle({ services, query }) {
    const page = await services.overview.users(query)
    return { ...page, items: page.items.map(presentAdminUser) }
  },
})

const place = named(
  'AdminWorkspace',
  v.object({
    id,
    name: field(v.string(), 'Its name', 'Support'),
    createdAt: time,
    deletedAt: field(v.nullable(time), 'When it was deleted', null),
    payerId: field(id, 'Its owner, who pays'),
    payerEmail: field(v.string(), "The owner's address", 'ada@example.com'),
    members: field(whole, 'How many members it has', 3),
  }),
  'A workspace, for operators',
)

export const listAllWorkspaces = route({
  ...shared,
  name: 'listAllWorkspaces',
  path: '/admin/workspaces',
  summary: 'List the workspaces, newest first',
  description: 'Those that were deleted, too, until nothing is left of them.',
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
    users: count('Accounts'),
    workspaces: count('Workspaces'),
    agents: count('Agents'),
    queuedRuns: count('Runs that are queued'),
    runningRuns: count('Runs that are running'),
    waitingRuns: count('Runs that wait'),
    endedRuns: count('Runs that have ended in the last 24 hours'),
    failedRuns: count('Runs among these that have failed'),
    pendingCallbacks: count('Callbacks that are not delivered yet'),
    pendingMails: count('Mails that wait to be sent'),
    timeZoneData: field(v.string(), 'The version of the IANA time zone data in the API process', '2026c'),
  }),
  'How much of everything there is',
)

export const getStats = route({
  ...shared,
  name: 'getStats',
  path: '/admin/stats',
  summary: 'Count what there is',
  description: 'Everything is counted anew.',
  response: stats,
  handle: async ({ services }) => ({ ...(await services.overview.stats()), timeZoneData: process.versions.tz ?? '' }),
})

const standing = named(
  'AdminModel',
  v.object({
    name: field(v.string(), 'What agents choose it by', 'gpt-5-mini'),
    id: field(v.string(), "The provider's name for it", 'gpt-5-mini'),
    isDefault: field(v.boolean(), 'Whether agents that choose no model have this one'),
    provider: named(
      'AdminProvider',
      v.object({
        name: field(v.string(), 'Its name in the configuration', 'openai'),
        kind: field(v.string(), 'Its protocol', 'openai'),
        host: field(v.nullable(v.string()), 'Where it is asked, if that is not the usual place', null),
        concurrency: field(whole, 'How many requests one worker may have under way', 100),
        waitingRuns: field(whole, 'How many runs wait for a place there', 0),
      }),
      'Who offers a model',
    ),
    outage: field(
      v.nullable(
        named(
          'ModelOutage',
          v.object({
            beganAt: field(time, 'Since when'),
            message: field(v.string(), 'What is wrong, as owners read it', 'The AI provider could not be reached.'),
            providerSaid: field(v.nullable(v.string()), "The provider's own words, without your keys", null),
            lastFailedAt: field(time, 'When it was found to fail last'),
            nextProbeAt: field(time, 'When it is asked again'),
            waitingRuns: field(whole, 'How many runs wait for it', 0),
          }),
          'A time in which a model could not be used by anybody',
        ),
      ),
      'What is wrong with it, if it cannot be used',
      null,
    ),
  }),
  'A configured model, for operators',
)

export const listConfiguredModels = route({
  ...shared,
  name: 'listConfiguredModels',
  path: '/admin/models',
  summary: 'List the configured models with their providers and outages',
  description:
    'Without keys. `GET /models` has their prices. A model that runs wait for although it is not configured any more is ' +
    'listed, too, with a provider of the kind `none`.',
  response: listOf(standing),
  handle: async ({ services }) => ({ items: await services.overview.models() }),
})
