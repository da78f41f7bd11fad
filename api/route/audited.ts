import { CodedError } from '../../src/errors.ts'
import type { Actor, SubjectKind } from '../../src/audit/audit-entry.ts'
import { notedFields } from '../../src/audit/noted-fields.ts'
import type { Services } from '../../src/services.ts'
import type { Caller } from '../../src/users/caller.ts'
import { clientOf, type RequestFacts } from './request-facts.ts'
import type { AnyRoute } from './route.ts'

/** The fields that the log records for each kind of thing. None of them is a secret. */
const fields: Record<SubjectKind, readonly string[]> = {
  account: [
    'email',
    'emailVerifiedAt',
    'deletionDueAt',
    'terms',
    'givenTier',
    'limits',
    'suspendedAt',
    'suspensionReason',
  ],
  agent: (
    'name systemPrompt trigger cron timeZone sites model fallbackModel summarizes ' +
    'creditsPerMonth watchSilence webhookProof webhookSchema allowActionOverride callbackUrl outputSchema pausedAt pausedReason'
  ).split(' '),
  api_key: ['name', 'scopes', 'expiresAt'],
  app: ['name', 'redirectHost', 'scopes'],
  approval: ['tool', 'siteOrigin', 'agentId', 'status', 'note'],
  callback: ['runId', 'status'],
  grant: ['ownerId', 'credits', 'priority', 'expiresAt', 'note'],
  host: ['host', 'suspended', 'callsPerMinute'],
  document: ['name', 'bytes'],
  identity: ['issuer', 'provider'],
  invitation: ['role', 'expiresAt'],
  login: ['address', 'userAgent', 'createdAt'],
  member: ['userId', 'role'],
  notification: ['kind', 'readAt'],
  notification_webhook: ['url'],
  clock: ['now'],
  payment: ['purpose', 'status', 'cents', 'credits'],
  payment_method: ['brand', 'last4'],
  run: ['agentId', 'status', 'trigger'],
  sign_in: ['issuer', 'clientId'],
  subscription: ['tier', 'subscription', 'cap'],
  top_up: ['enabled', 'below', 'credits', 'centsPerMonth'],
  vault_entry: [
    'name',
    'origin',
    'authType',
    'scopes',
    'status',
    'generation',
    'traceContext',
    'confirmedEffects',
    'tools',
  ],
  workspace: ['name', 'creditsPerMonth', 'connectionsOfLeavers', 'payerId', 'offeredTo'],
}

interface Change {
  services: Services
  caller: Caller
  request: RequestFacts
  params: Readonly<Record<string, string>>
  ownerId: string
  resource: unknown
}

/** The actor of a request, and where the request comes from. */
export const actorOf = ({ caller, request }: Pick<Change, 'caller' | 'request'>): Actor => ({
  userId: caller.userId,
  via: caller.via,
  viaId: caller.loginId ?? caller.apiKeyId ?? caller.appId,
  ...clientOf(request),
})

/** Runs the work of a route between the start and the completion of its audit log entry. */
export async function audited(route: AnyRoute, change: Change, work: () => Promise<unknown>): Promise<unknown> {
  if (route.audit === undefined || 'not' in route.audit) return work()
  const { services, caller, resource } = change
  // Limited, because each entry is kept for more than a year.
  await services.rateLimits.change(caller.userId)
  const { subject: subjectKind } = route.audit
  const ownerId = route.audit.in === 'home' ? caller.reach.home : change.ownerId
  const fieldsOf = (thing: unknown) => (isThing(thing) ? notedFields(thing, fields[subjectKind]) : undefined)
  const before = route.status === 201 ? undefined : fieldsOf(route.look ? await route.look(change) : resource)
  const deed = { ownerId, action: route.name, subjectKind, subjectId: idOf(route, change), by: actorOf(change), before }
  const complete = await services.audit.begin(deed)
  try {
    const answer = await work()
    await complete({ kind: 'done', ...madeBy(route, answer), after: fieldsOf(await afterwards(route, change, answer)) })
    return answer
  } catch (error) {
    const isRefused = error instanceof CodedError && error.code !== 'INTERNAL_ERROR'
    await complete({ kind: isRefused ? 'refused' : 'unknown' })
    throw error
  }
}

const isThing = (thing: unknown): thing is object => typeof thing === 'object' && thing !== null

/** A version's number names a part of the agent before it. */
const idsIn = ({ version: _number, ...ids }: Change['params']): string[] => Object.values(ids)

/** The last id in the path, or the account. A thing that is created gets its id later. */
function idOf({ status, name }: AnyRoute, { params, caller }: Change): string | undefined {
  if (status === 201) return undefined
  return name === 'logout' ? caller.loginId : (idsIn(params).at(-1) ?? caller.userId)
}

const madeBy = ({ status }: AnyRoute, answer: unknown): { subjectId?: string } =>
  status === 201 && isThing(answer) && 'id' in answer ? { subjectId: String(answer.id) } : {}

/**
 * The thing after the change, read again because a response has other fields than a row; undefined if it was deleted.
 */
async function afterwards(route: AnyRoute, change: Change, answer: unknown): Promise<unknown> {
  if (route.status === 201) return answer
  if (route.method === 'delete' && route.response === undefined) return undefined
  const again = route.look ?? route.resource
  return again ? again(change).catch(() => undefined) : answer
}
