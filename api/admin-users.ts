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
  agents: 'Agents, those of its workspaces included',
  vaultSites: 'Connected sites',
  apiKeys: 'API keys',
  workspaces: 'Workspaces that the account pays for',
  workspaceMembers: 'Members of each, the invited included',
  requestsPerMinute: 'Requests a minute, of all logins and keys',
  openStreams: 'Open streams of one API process',
  deliveriesPerMinute: 'Deliveries a minute, to all agents',
  inputBytesPerMinute: 'Bytes of payloads and inputs a minute',
  storedBytes: 'Bytes of payloads and results that are kept',
  tokensPerMonth: 'Tokens of models in a calendar month (UTC)',
}

/** Of these, less than one would be nothing at all. */
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
  'Limits of one account; in them, null is any number',
)
/** To valibot a list is an object, too. */
const noList = v.custom<object>((given) => !Array.isArray(given), 'must be an object')

const limits = documentedBy(
  v.nullable(v.pipe(noList, limitsOfAccount)),
  field(
    v.nullable(limitsOfAccount),
    'The limits that are other than those of the tier or of the installation, in place of those that were set before',
    { agents: 10, tokensPerMonth: 1_000_000 },
  ),
)

export const getUser = route({
  ...shared,
  name: 'getUser',
  method: 'get',
  summary: 'Get an account',
  description: 'Its tier and limits, and whether it is suspended or to be deleted.',
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
  summary: 'Give an account a tier, or limits of its own',
  description:
    'A tier that is given counts where it is higher than the one that is paid for, and brings its credits for each calendar ' +
    'month (UTC) while none is paid for. It costs nothing. null takes it back. What exceeds the limits rests until there is ' +
    'room. With either, or with a limit of tokens, you vouch for the account: what is free does not wait for a verified address.',
  body: v.strictObject({
    tier: v.optional(field(v.nullable(tier), 'The tier; null for none. VALIDATION_ERROR without payments', 'pro')),
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
    'Until that is lifted, logins, API keys and sessions of the user answer PERMISSION_DENIED with the reason, and so do ' +
    'deliveries to agents that the account pays for, which are paused. Runs that are queued stay; what has begun waits as if its agent were paused. ' +
    'Nothing is deleted. An admin cannot be suspended.',
  body: v.strictObject({ reason: field(text(500), 'Why, for the user', 'Your agents overload a site.') }),
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
  summary: 'Lift the suspension of a user',
  description: 'Logins, keys and sessions are good again, and agents that it has paused go on.',
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
    'Suspends the user, ends all logins, and deletes everything after `ACCOUNT_GRACE_DAYS`; until then you can restore it. ' +
    'The user is told by mail. An admin cannot be deleted.',
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
  summary: 'Keep an account that was to be deleted',
  description: 'Its suspension stays until it is lifted.',
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
  summary: 'List the runs that a user pays for, newest first',
  description:
    "Those of the user's own agents, and of the workspaces that the user owns; without payloads, prompts and results.",
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
  summary: "Cancel anybody's run",
  description: 'As its owner can. Its timeline says that the operator has done so.',
  response: listedRun,
  codes: ['RUN_NOT_FOUND', 'RUN_NOT_CANCELLABLE'],
  async handle({ services, params }) {
    const found = await services.overview.run(params.runId)
    return presentListedRun(await services.runs.ending.cancelByOperator(found))
  },
})
