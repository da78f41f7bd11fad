import { setTimeout as delay } from 'node:timers/promises'
import { agentOf } from '../agents.ts'
import { accepted, assert, refused, told } from '../expect.ts'
import type { Answer } from '../client.ts'
import { Deviation, Untried } from '../deviation.ts'
import type { Facts } from '../facts.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'

const me = '/auth/me'

/** More than any tier of the specification's examples allows in a minute would be no use. */
const mostRequests = 2_000
const inParallel = 20

/** What comes before the terms are accepted, and afterwards. */
const accepting = ({ client, people, once }: Stage) =>
  once('terms', async () => {
    const { token } = await people.newcomer()
    const before = await client.send({ url: '/agents', token })
    accepted(await client.send({ method: 'POST', url: '/auth/accept-terms', token }))
    return { before, after: await client.send({ url: '/agents', token }) }
  })

/** Sends requests until one is a 429. */
const limited = (stage: Stage) =>
  stage.once('limited', async () => {
    // Who has nothing else to do by then.
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
    // Elsewhere the limit may be as high as the operator likes.
    throw isKnown(stage) ? new Deviation(outcome) : new Untried(`${outcome}: the limit is out of reach.`)
  })

const isKnown = ({ facts }: { facts: Facts | undefined }): boolean => facts !== undefined

const sleepUntil = (time: number) => delay(Math.max(0, time - performance.now()))

/**
 * That a wait is neither too short nor too long: half a second before the last second of it the request is still
 * refused, and accepted afterwards. Times are those of `performance.now()`. Returns the evidence.
 */
async function assertTrue(seconds: number, of: { ask: () => Promise<Answer>; begun: number; seen: number }) {
  const lastSecond = of.begun + (seconds - 1) * 1000
  await sleepUntil(lastSecond - 500)
  const early = await of.ask()
  // On a busy machine it may have come too late to tell.
  const isEarly = performance.now() < lastSecond
  if (isEarly) refused(early, 'RATE_LIMITED')
  await sleepUntil(of.seen + seconds * 1000 + 100)
  accepted(await of.ask())
  return isEarly ? 'a second before still 429, then 200' : 'then 200; no request came early enough to be refused again'
}

/** One of each file of the API that operators have for themselves. */
const forAdmins = ['hosts', 'workers', 'users', 'workspaces', 'stats', 'models', 'audit', 'outbox']

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
    async run({ client, people }) {
      const pair = await people.logIn(await people.free(), { ttlSeconds: 1 })
      await delay(2_100)
      const answer = await client.send({ url: me, token: String(pair['accessToken']) })
      return `${refused(answer, 'TOKEN_EXPIRED')}, 2 s after a login for 1 s`
    },
  },
  {
    id: 'codes/TOKEN_REVOKED',
    says: 'the JWT was revoked, for example by logout',
    async run({ client, people }) {
      const token = String((await people.logIn(await people.free()))['accessToken'])
      accepted(await client.send({ url: me, token }))
      accepted(await client.send({ method: 'POST', url: '/auth/logout', token }), 204)
      return `${refused(await client.send({ url: me, token }), 'TOKEN_REVOKED')}, after a logout`
    },
  },
  {
    id: 'codes/ADMIN_REQUIRED',
    says: 'endpoint requires admin privileges',
    needs: ['admin'],
    async run({ client, people }) {
      const { id, token } = await people.free()
      const credits = `/admin/users/${id}/credits`
      const given = await client.send({ method: 'POST', url: credits, token, body: { credits: 1 } })
      const evidence = refused(given, 'ADMIN_REQUIRED')
      for (const name of forAdmins) {
        const url = `/admin/${name}`
        refused(await client.send({ url, token }), 'ADMIN_REQUIRED')
        accepted(await client.send({ url, token: await people.admin() }))
      }
      return `${evidence} at ${credits.replace(id, '{id}')}, and at ${forAdmins.join(', ')}; an admin: 200`
    },
  },
  {
    id: 'codes/TERMS_NOT_ACCEPTED',
    says: 'user has not accepted the terms; POST /auth/accept-terms first',
    async run(stage) {
      const { before, after } = await accepting(stage)
      const evidence = refused(before, 'TERMS_NOT_ACCEPTED')
      accepted(after)
      return `${evidence}; after POST /auth/accept-terms: ${told(after)}`
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
    async run({ client, people }) {
      const owner = await people.owner()
      const body = { name: 'Conformance', scopes: ['read'] }
      const made = await client.send({ method: 'POST', url: '/auth/api-keys', token: owner.token, body })
      const key = String(accepted(made, 201)['key'])
      accepted(await client.send({ url: '/agents', token: key }))
      const agent = await agentOf(client, owner)
      const path = `/agents/${String(agent['id'])}`
      const evidence = refused(await client.send({ method: 'DELETE', url: path, token: key }), 'PERMISSION_DENIED')
      accepted(await client.send({ url: path, token: key }))
      return `${evidence}, and the agent is still there`
    },
  },
  {
    id: 'states/JWT',
    says: 'JWT of a platform user: valid (expired and revoked have rows of their own: codes/TOKEN_EXPIRED, codes/TOKEN_REVOKED)',
    async run({ client, people }) {
      const { token } = await people.free()
      const valid = await client.send({ url: me, token })
      accepted(valid)
      assert(valid.headers.get('x-request-id'), 'X-Request-Id is missing')
      return `valid: ${told(valid)}`
    },
  },
]
