import * as v from 'valibot'
import { limitNames, type Limits } from '../src/billing/tiers.ts'
import type { Services } from '../src/services.ts'
import { route } from './route/route.ts'
import { adminUser, presentAdminUser } from './schemas/admin-schema.ts'
import { documentedBy, field, named } from './schemas/documented.ts'
import { listedRun, presentListedRun } from './schemas/run-schema.ts'
import { pageOf, paging, runStatus, text, tier } from './schemas/schemas.ts'

const shared = { tag: 'admin', access: 'admin', path: '/admin/users/{userId}', status: 200 } as const

type OfUser = { services: Services; params: { userId: string } }
const look = ({ services, params }: OfUser) => services.overview.user(params.userId)
const present = async (input: OfUser) => presentAdminUser(await look(input))

const meanings: Record<keyof Limits, string> = {
  agents: "Maximum number of agents, including those in the account's workspaces",
  vaultSites: 'Maximum number of connected sites',
  apiKeys: 'Maximum number of API keys',
  workspaces: 'Maximum number of workspaces that the account pays for',
  workspaceMembers: 'Maximum number of members in each workspace, including open invitations',
  requestsPerMinute: 'Maximum number of requests per minute, across all sign-in sessions and API keys',
  openStreams: 'Maximum number of open streams per API process',
  deliveriesPerMinute: 'Maximum number of webhook deliveries per minute, across all agents',
  inputBytesPerMinute: 'Maximum number of bytes of payloads and inputs per minute',
  storedBytes: 'Maximum number of stored bytes of payloads and results',
  tokensPerMonth: 'Maximum number of model tokens per calendar month (UTC)',
}

/** A limit of 0 would lock the account out. */
const atLeastOne = new Set<string>(['requestsPerMinute', 'openStreams', 'inputBytesPerMinute'])
const limit = (name: keyof Limits) => {
  const least = atLeastOne.has(name) ? 1 : 0
  const number = v.pipe(
    v.number('must be a number, or null'),
    v.integer('must be a whole number'),
    v.minValue(least, `must be at least ${least}`),
    v.maxValue(1e15, 'must be at most 10¹⁵'),
  )
  return v.optional(field(v.nullable(number), meanings[name], null))
}
const limitsOfAccount = named(
  'GivenLimits',
  v.strictObject(Object.fromEntries(limitNames.map((name) => [name, limit(name)]))),
  'Limits of one account. Null means unlimited.',
)
/** Valibot accepts a list as an object. */
const noList = v.custom<object>((given) => !Array.isArray(given), 'must be an object')

const limits = documentedBy(
  v.nullable(v.pipe(noList, limitsOfAccount)),
  field(
    v.nullable(limitsOfAccount),
    'Limits that override those of the tier or installation. They replace any limits set previously.',
    { agents: 10, tokensPerMonth: 1_000_000 },
  ),
)

export const getUser = route({
  ...shared,
  name: 'getUser',
  method: 'get',
  summary: 'Get an account',
  description: "Shows the account's tier and limits, and whether the account is suspended or scheduled for deletion.",
  response: adminUser,
  codes: ['NOT_FOUND'],
  handle: present,
})

export const giveTier = route({
  ...shared,
  name: 'giveTier',
  audit: { subject: 'account' },
  look,
  method: 'patch',
  summary: "Set an account's tier or limits",
  description:
    'A granted tier is free, applies while it is higher than the paid tier, and includes its monthly credits unless the user pays for a tier. Send `null` to remove a granted tier or custom limits. Anything over the limits is suspended until there is room. Once you grant a tier or set a token limit, the user no longer needs a verified email address for free usage.',
  body: v.strictObject({
    tier: v.optional(
      field(
        v.nullable(tier),
        'Tier to grant, or null to remove a granted tier. The request fails with `VALIDATION_ERROR` if payments are off on this installation.',
        'pro',
      ),
    ),
    limits: v.optional(limits),
  }),
  response: adminUser,
  codes: ['NOT_FOUND'],
  async handle(input) {
    await input.services.adminAccounts.give(input.params.userId, input.body)
    return present(input)
  },
})

export const suspendUser = route({
  ...shared,
  name: 'suspendUser',
  audit: { subject: 'account' },
  look,
  method: 'put',
  path: '/admin/users/{userId}/suspension',
  summary: 'Suspend a user',
  description:
    "Requests with the user's sign-in sessions, API keys and chat sessions fail with `PERMISSION_DENIED` and the reason, and so do webhook deliveries. Agents that the account pays for are paused: queued runs stay queued, and runs in progress wait. Nothing is deleted. An admin cannot be suspended.",
  body: v.strictObject({
    reason: field(text(500), 'Reason, shown to the user', 'Your agents are overloading a site.'),
  }),
  response: adminUser,
  codes: ['NOT_FOUND'],
  async handle(input) {
    await input.services.adminAccounts.suspend(input.params.userId, input.body.reason)
    await input.services.accessChanges.note()
    return present(input)
  },
})

export const liftUser = route({
  ...shared,
  name: 'liftUser',
  audit: { subject: 'account' },
  look,
  method: 'delete',
  path: '/admin/users/{userId}/suspension',
  summary: "Lift a user's suspension",
  description:
    'Sign-in sessions, API keys and chat sessions work again. Agents resume unless they are paused for another reason.',
  response: adminUser,
  codes: ['NOT_FOUND'],
  async handle(input) {
    await input.services.adminAccounts.lift(input.params.userId)
    return present(input)
  },
})

export const deleteUser = route({
  ...shared,
  name: 'deleteUser',
  audit: { subject: 'account' },
  look,
  method: 'delete',
  summary: 'Delete an account',
  description:
    'Suspends the user, ends all sign-in sessions, and deletes everything after the grace period (`ACCOUNT_GRACE_DAYS`). Until then, you can restore the account. The user is notified by email. An admin cannot be deleted.',
  response: adminUser,
  codes: ['NOT_FOUND'],
  async handle(input) {
    await input.services.adminAccounts.remove(input.params.userId)
    await input.services.accessChanges.note()
    return present(input)
  },
})

export const restoreUser = route({
  ...shared,
  name: 'restoreUser',
  audit: { subject: 'account' },
  look,
  method: 'post',
  path: '/admin/users/{userId}/restore',
  summary: 'Restore a deleted account',
  description: 'Cancels the deletion. The user stays suspended until you lift the suspension.',
  response: adminUser,
  codes: ['NOT_FOUND', 'TOKEN_REVOKED'],
  async handle(input) {
    await input.services.adminAccounts.restore(input.params.userId)
    return present(input)
  },
})

export const listRunsOfUser = route({
  ...shared,
  name: 'listRunsOfUser',
  method: 'get',
  path: '/admin/users/{userId}/runs',
  summary: "List a user's runs",
  description:
    "Lists the runs of the user's own agents and of agents in workspaces that the user owns, newest first. Payloads, prompts and results are not shown.",
  query: v.strictObject({ ...paging, status: v.optional(runStatus) }),
  response: pageOf(listedRun),
  codes: ['NOT_FOUND'],
  async handle({ services, params, query }) {
    const page = await services.overview.runs(params.userId, query)
    return { ...page, items: page.items.map(presentListedRun) }
  },
})

export const cancelRunOfUser = route({
  ...shared,
  name: 'cancelRunOfUser',
  audit: { subject: 'run' },
  method: 'post',
  path: '/admin/runs/{runId}/cancel',
  summary: "Cancel any user's run",
  description: 'Works like `POST /runs/{runId}/cancel`. The timeline shows that the operator cancelled the run.',
  response: listedRun,
  codes: ['RUN_NOT_FOUND', 'RUN_NOT_CANCELLABLE'],
  async handle({ services, params }) {
    const found = await services.overview.run(params.runId)
    return presentListedRun(await services.runs.ending.cancelByOperator(found))
  },
})
