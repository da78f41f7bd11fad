import type { ExecutionContext } from 'ava'
import type { AnyRoute } from '../../api/route/route.ts'
import { limitOf, needsLogin, needsOf } from '../../api/route/route-rules.ts'
import type { ErrorCode } from '../../src/errors.ts'
import { newId } from '../../src/ids.ts'
import { call, type Answer, type Client } from '../helpers/client.ts'
import { person } from '../helpers/people.ts'
import { withToken } from '../helpers/sessions.ts'
import { environmentOf } from '../helpers/sign-ins.ts'
import { startPlatform } from '../helpers/platform.ts'
import { allowedTo, bodyWithin, paramsOf, secretOf, validBodies, validQueries, type Stage } from './stage.ts'

export type Provoke = (route: AnyRoute) => Promise<Answer<unknown>>

interface Changes {
  params?: Record<string, string>
  query?: Record<string, string>
  raw?: string
  headers?: Record<string, string>
}

/** Makes the requests that provoke, on any route, the codes that follow from its declaration. */
export async function createProvoke(t: ExecutionContext, stage: Stage) {
  const { owner, params, nobody, forger, as } = stage
  const limitedCaller = await openLimited(t, stage)
  // What is counted by address is counted before the token is looked at: without one, nothing else comes of it.
  const limited = (route: AnyRoute) =>
    ['address', 'browser'].includes(limitOf(route)) ? { url: limitedCaller.url } : limitedCaller
  const away = await openAway(t, stage)
  const unpaid = await openUnpaid(t, stage)
  const beginner = await stage.newcomer()

  const send = (client: Client, route: AnyRoute, changes: Changes = {}) =>
    call(client, route, {
      params: { ...paramsOf(route, params), ...changes.params },
      headers: { ...secretOf(stage), ...changes.headers },
      query: changes.query ?? validQueries[route.name] ?? {},
      ...(changes.raw !== undefined && { raw: changes.raw }),
    })
  const body = (route: AnyRoute): Changes => {
    const valid = validBodies(stage.sites)[route.name]
    return valid ? { raw: JSON.stringify(valid) } : {}
  }
  const unknownId = (...names: string[]): Provoke => {
    const ids = Object.fromEntries(names.map((name) => [name, newId()]))
    return (route) => send(owner, route, { params: pick(ids, route), ...body(route) })
  }

  /** A request about the things of a workspace. */
  const within = (client: Client, route: AnyRoute, given: Pick<Stage, 'params' | 'agent' | 'session'>) => {
    const { workspaceId = '' } = given.params
    const valid = bodyWithin(stage.sites, route, workspaceId)
    return call(client, route, {
      params: paramsOf(route, given.params),
      headers: secretOf(given),
      ...(route.owner === 'query' && { query: { workspaceId } }),
      ...(valid && { raw: JSON.stringify(valid) }),
    })
  }

  const unknownThing = unknownId(
    'approvalId',
    'invitationId',
    'entryId',
    'flowId',
    'apiKeyId',
    'documentId',
    'identityId',
    'loginId',
    'paymentMethodId',
  )

  const byCode: Partial<Record<ErrorCode, Provoke>> = {
    UNAUTHORIZED: (route) => send(nobody, route),
    INVALID_TOKEN: (route) => send(forger, route),
    TOKEN_EXPIRED: async (route) => send(await stage.expired(), route),
    TOKEN_REVOKED: async (route) => send(await stage.revoked(), route),
    PERMISSION_DENIED: async (route) => {
      if (route.proof?.account || route.whileClosing) {
        const { someone, session } = await stage.suspended()
        return send(someone, route, { headers: withToken(session) })
      }
      if (route.ofUser) return send(as((await stage.lapsed()).apiKey), route)
      if (route.method === 'get' && route.access === 'account' && needsOf(route) === 'see') {
        // Their roles and keys may see everything.
        return send(await stage.leaving(), route)
      }
      if (route.path.includes('{workspaceId}')) return within(await stage.viewerIn(), route, stage)
      if (route.owner === 'query' && !needsLogin(route)) return within(await stage.viewerIn(), route, stage)
      return send(as(needsLogin(route) ? stage.apiKey : stage.readKey), route)
    },
    WORKSPACE_REQUIRED: async (route) => {
      const lapsed = await stage.lapsed()
      return within(lapsed.payer, route, lapsed)
    },
    WORKSPACE_NOT_FOUND: (route) => {
      const params = { ...stage.params, workspaceId: newId() }
      return within(owner, route, { ...stage, params })
    },
    ADMIN_REQUIRED: (route) => send(owner, route, body(route)),
    TERMS_NOT_ACCEPTED: (route) => send(beginner, route),
    RATE_LIMITED: (route) =>
      untilLimited(() =>
        send(limited(route), route, {
          headers: { 'x-webhook-secret': 'wrong' },
          ...(route.proof?.account && { query: { nonsense: '1' } }),
        }),
      ),
    VALIDATION_ERROR: (route) =>
      send(
        allowedTo(stage, route),
        route,
        route.method === 'get' ? { query: { nonsense: '1' } } : { raw: '["not an object"]' },
      ),
    INTERNAL_ERROR: (route) => send(away, route, body(route)),
    AGENT_NOT_FOUND: unknownId('agentId'),
    RUN_NOT_FOUND: unknownId('runId'),
    SESSION_NOT_FOUND: unknownId('sessionId'),
    NOT_FOUND: (route) => (route.needsPayments ? send(unpaid, route, body(route)) : unknownThing(route)),
  }
  return byCode
}

/** Repeats a request in which everything else is wrong until it is one too many; a window may just have ended. */
async function untilLimited(send: () => Promise<Answer<unknown>>): Promise<Answer<unknown>> {
  for (let left = 2; left > 0; left -= 1) {
    const answer = await send()
    if (answer.status === 429) return answer
  }
  return send()
}

/** Those of the values that the route's path names. */
const pick = (values: Record<string, string>, { path }: AnyRoute): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([name]) => path.includes(`{${name}}`)))

/** A platform over the same database that allows one request a minute, and a caller who owns nothing there. */
async function openLimited(t: ExecutionContext, { platform }: Stage) {
  const { url } = await startPlatform(t, {
    env: {
      DATABASE_URL: platform.config.database.url,
      // Access tokens name their issuer.
      BASE_URL: platform.url,
      RATE_LIMIT_PER_MINUTE: '1',
      RATE_LIMIT_AUTH_PER_MINUTE: '1',
      RATE_LIMIT_BROWSER_PER_MINUTE: '1',
      RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE: '1',
    },
  })
  return { url, token: (await person(platform)).token }
}

/** A platform over the same database that takes no payments. */
async function openUnpaid(t: ExecutionContext, { platform, owner }: Stage) {
  const env = { DATABASE_URL: platform.config.database.url, BASE_URL: platform.url, BILLING: 'off' }
  return { url: (await startPlatform(t, { env })).url, token: owner.token }
}

/** A platform whose database cannot be reached: nothing listens on port 1. */
async function openAway(t: ExecutionContext, { platform, owner, sites }: Stage) {
  const { url } = await startPlatform(t, {
    env: {
      DATABASE_URL: 'postgres://nobody:nothing@127.0.0.1:1/none',
      BASE_URL: platform.url,
      ...environmentOf(sites.idp),
    },
  })
  return { url, token: owner.token }
}
