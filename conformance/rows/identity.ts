import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createAgent } from '../agents.ts'
import { accepted, assert, refused, outcomeOf } from '../expect.ts'
import type { Answer, Json, Request } from '../client.ts'
import { Deviation, Untried } from '../deviation.ts'
import type { Facts } from '../facts.ts'
import type { Person } from '../people.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'
import { agentsToTheLimit, keysToTheLimit } from '../fill-limits.ts'

const me = '/auth/me'

/** No tier of the specification's examples allows more requests in a minute, so more would prove nothing. */
const mostRequests = 2_000
const inParallel = 20

/** Requests that need accepted terms: reads and creations. */
const underTerms = ({ client }: Stage, { token }: Person): Promise<Answer>[] => [
  client.send({ url: '/agents', token }),
  client.send({ url: '/vault', token }),
  createAgent(client, { token }),
  client.send({ method: 'POST', url: '/sessions', token, body: {} }),
  client.send({ method: 'POST', url: '/vault/inspect', token, body: { url: 'https://site.example' } }),
  client.send({ method: 'DELETE', url: `/agents/${randomUUID()}`, token }),
]

/** The responses before and after the terms are accepted. */
const accepting = (stage: Stage) =>
  stage.once('terms', async () => {
    const { client, people } = stage
    const newcomer = await people.newcomer()
    const before = await Promise.all(underTerms(stage, newcomer))
    const { token } = newcomer
    accepted(await client.send({ method: 'POST', url: '/auth/accept-terms', token }))
    const after = await client.send({ url: '/agents', token })
    return { before, after, made: await createAgent(client, newcomer) }
  })

const limited = (stage: Stage) =>
  stage.once('limited', async () => {
    // Uses an account that has nothing else to do by then.
    await accepting(stage)
    const { token } = await stage.people.newcomer()
    const ask = () => stage.client.send({ url: me, token, takesLimits: true })
    for (let sent = inParallel; sent <= mostRequests; sent += inParallel) {
      const begun = performance.now()
      const answers = await Promise.all(Array.from({ length: inParallel }, ask))
      const answer = answers.find(({ status }) => status === 429)
      if (answer) return { ask, answer, sent, begun, seen: performance.now() }
    }
    const outcome = `${mostRequests} requests were all accepted`
    // On other installations the limit may be of any size.
    throw isKnown(stage) ? new Deviation(outcome) : new Untried(`${outcome}: the limit is out of reach.`)
  })

const isKnown = ({ facts }: { facts: Facts | undefined }): boolean => facts !== undefined

const sleepUntil = (time: number) => delay(Math.max(0, time - performance.now()))

/**
 * Checks that a wait is accurate: half a second before its end the request is still refused, and afterwards it is
 * accepted. Times are those of `performance.now()`. Returns the evidence.
 */
async function assertTrue(seconds: number, of: { ask: () => Promise<Answer>; begun: number; seen: number }) {
  const lastSecond = of.begun + (seconds - 1) * 1000
  await sleepUntil(lastSecond - 500)
  const early = await of.ask()
  // On a busy machine, the request may be too late to tell.
  const isEarly = performance.now() < lastSecond
  if (isEarly) refused(early, 'RATE_LIMITED')
  await sleepUntil(of.seen + seconds * 1000 + 100)
  accepted(await of.ask())
  return isEarly ? 'a second before still 429, then 200' : 'then 200; no request came early enough to be refused again'
}

/** Lists for operators. */
const forAdmins = ['hosts', 'workers', 'users', 'workspaces', 'stats', 'models', 'audit', 'outbox']

/** Changes by operators. An admin could make all of them, so only other accounts try. */
const changesOfAdmins = (userId: string): Request[] => [
  { method: 'POST', url: `/admin/users/${userId}/credits`, body: { credits: 1 } },
  { method: 'POST', url: `/admin/users/${userId}/clock`, body: { seconds: 1 } },
  { method: 'PUT', url: '/admin/hosts/conformance.example', body: { reason: 'None.' } },
  { method: 'DELETE', url: '/admin/hosts/conformance.example' },
]

/** The responses to an expired access token. */
const withExpired = ({ client, people, once }: Stage) =>
  once('expired token', async () => {
    const pair = await people.logIn(await people.free(), { ttlSeconds: 1 })
    await delay(2_100)
    return client.send({ url: me, token: String(pair['accessToken']) })
  })

/** The responses to the tokens of two logins: one that another device ended, and one that logged out. */
const withRevoked = ({ client, people, once }: Stage) =>
  once('revoked tokens', async () => {
    const free = await people.free()
    const [here, there] = [await logInAgain(people, free), await logInAgain(people, free)]
    for (const token of [here, there]) accepted(await client.send({ url: me, token }))
    const url = `/auth/logins/${await loginOf(client, there)}`
    accepted(await client.send({ method: 'DELETE', url, token: here }), 204)
    const ended = await client.send({ url: me, token: there })
    accepted(await client.send({ method: 'POST', url: '/auth/logout', token: here }), 204)
    return { ended, loggedOut: await client.send({ url: me, token: here }) }
  })

const logInAgain = async (people: Stage['people'], person: Person): Promise<string> =>
  String((await people.logIn(person))['accessToken'])

/** The id of a token's login. */
async function loginOf(client: Stage['client'], token: string): Promise<string> {
  const { items } = accepted(await client.send({ url: '/auth/logins?limit=100', token }))
  return String((items as Json[]).find(({ current }) => current === true)?.['id'])
}

export const identityRows: Row[] = [
  {
    id: 'codes/UNAUTHORIZED',
    says: 'no valid authentication token provided',
    async run({ client }) {
      const answer = await client.send({ url: '/agents' })
      return refused(answer, 'UNAUTHORIZED')
    },
  },
  {
    id: 'codes/INVALID_TOKEN',
    says: 'token malformed or invalid',
    async run({ client, people }) {
      const { token } = await people.free()
      const forged = `${token.slice(0, token.lastIndexOf('.'))}.${Buffer.alloc(64).toString('base64url')}`
      refused(await client.send({ url: '/agents', token: 'not-a-token' }), 'INVALID_TOKEN')
      return `${refused(await client.send({ url: '/agents', token: forged }), 'INVALID_TOKEN')}, also for another signature`
    },
  },
  {
    id: 'codes/TOKEN_EXPIRED',
    says: 'the JWT has expired',
    run: async (stage) => `${refused(await withExpired(stage), 'TOKEN_EXPIRED')}, 2 s after a login for 1 s`,
  },
  {
    id: 'codes/TOKEN_REVOKED',
    says: 'the JWT was revoked, for example by logout',
    async run(stage) {
      const { ended, loggedOut } = await withRevoked(stage)
      refused(ended, 'TOKEN_REVOKED')
      const evidence = refused(loggedOut, 'TOKEN_REVOKED')
      const { token } = await stage.people.free()
      accepted(await stage.client.send({ url: me, token }))
      return `${evidence}, after a logout, and after another device has ended the login; a third login stays valid`
    },
  },
  {
    id: 'codes/ADMIN_REQUIRED',
    says: 'endpoint requires admin privileges',
    needs: ['admin'],
    async run({ client, people }) {
      const { id, token } = await people.free()
      const changes = changesOfAdmins(id)
      for (const request of changes) refused(await client.send({ ...request, token }), 'ADMIN_REQUIRED')
      const evidence: string[] = []
      for (const name of forAdmins) {
        const url = `/admin/${name}`
        evidence.push(refused(await client.send({ url, token }), 'ADMIN_REQUIRED'))
        accepted(await client.send({ url, token: await people.admin() }))
      }
      return `${evidence[0]} at ${forAdmins.join(', ')}, which an admin reads, and at ${changes.length} changes`
    },
  },
  {
    id: 'codes/TERMS_NOT_ACCEPTED',
    says: 'user has not accepted the terms; POST /auth/accept-terms first',
    async run(stage) {
      const { before, after, made } = await accepting(stage)
      const evidence = before.map((answer) => refused(answer, 'TERMS_NOT_ACCEPTED'))
      accepted(after)
      accepted(made, 201)
      return `${evidence[0]}, at ${before.length} operations that read, make or delete; after POST /auth/accept-terms: ${outcomeOf(after)}`
    },
  },
  {
    id: 'codes/RATE_LIMITED',
    says: 'too many requests in the window; Retry-After is sent',
    async run(stage) {
      const { answer, sent } = await limited(stage)
      const evidence = refused(answer, 'RATE_LIMITED')
      return `${evidence}, Retry-After ${answer.headers.get('retry-after')}, within ${sent} requests`
    },
  },
  {
    id: 'limits/Response when exceeded',
    says: 'HTTP 429 with Retry-After, which is true (of the platform; of a site see site errors/429)',
    isSlow: true,
    async run(stage) {
      const { answer, ...rest } = await limited(stage)
      refused(answer, 'RATE_LIMITED')
      const seconds = Number(answer.headers.get('retry-after'))
      assert(seconds <= 60, `Retry-After says ${seconds} s, for a window of a minute`)
      return `429, Retry-After ${seconds}: ${await assertTrue(seconds, rest)}`
    },
  },
  {
    id: 'workspaces/Key of scope read',
    says: 'an API key that may only read changes nothing',
    async run(stage) {
      const { client } = stage
      const [[{ key } = {}], [agent]] = [await keysToTheLimit(stage), await agentsToTheLimit(stage)]
      const token = String(key)
      const url = `/agents/${String(agent?.['id'])}`
      accepted(await client.send({ url: '/agents', token }))
      const evidence = refused(await client.send({ method: 'DELETE', url, token }), 'PERMISSION_DENIED')
      refused(await client.send({ method: 'PATCH', url, token, body: { name: 'Changed' } }), 'PERMISSION_DENIED')
      refused(await client.send({ method: 'POST', url: '/sessions', token, body: {} }), 'PERMISSION_DENIED')
      accepted(await client.send({ url, token }))
      return `${evidence}, also to change one, and to open a chat; the agent is still there`
    },
  },
  {
    id: 'states/JWT',
    says: 'JWT of a platform user: valid, expired, revoked',
    async run(stage) {
      const { token } = await stage.people.free()
      const valid = await stage.client.send({ url: me, token })
      accepted(valid)
      assert(valid.headers.get('x-request-id'), 'X-Request-Id is missing')
      const expired = refused(await withExpired(stage), 'TOKEN_EXPIRED')
      const revoked = refused((await withRevoked(stage)).loggedOut, 'TOKEN_REVOKED')
      return `valid: ${outcomeOf(valid)}; expired: ${expired}; revoked: ${revoked}`
    },
  },
]
