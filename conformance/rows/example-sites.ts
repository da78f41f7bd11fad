import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { signInAtContacts } from '../browser.ts'
import type { Answer, Json } from '../client.ts'
import { Deviation } from '../deviation.ts'
import { accepted, assert, assertSame, outcomeOf } from '../expect.ts'
import type { Row } from '../row.ts'
import type { Stage } from '../stage.ts'

/** The specification's recommended limits for sites. */
const perToken = 60
const perAddress = 200
const inParallel = 20

const needs = ['sites', 'siteCaFile'] as const

const search = ({ client, facts }: Stage, token?: string, takesLimits = true): Promise<Answer> =>
  client.send({
    method: 'POST',
    url: `${facts.sites.issueTracker}/api/tools/search_issues`,
    token,
    takesLimits,
    body: {},
  })

/** A token of the example issue tracker, created as a user would. */
async function tokenOf({ client, facts }: Stage, role: string): Promise<string> {
  const url = `${facts.sites.issueTracker}/settings/tokens`
  return String(accepted(await client.send({ method: 'POST', url, body: { user: 'kim', role } }), 201)['token'])
}

/** Sends requests until a 429, and returns both limits of the tracker in their order. */
const limitsOfTracker = (stage: Stage) =>
  stage.once('limits of the tracker', async () => {
    const token = await tokenOf(stage, 'reader')
    // An earlier check may have used up the address limit, so this waits for its end. It is the first request of this
    // minute.
    accepted(await search(stage, token, false))
    const byToken = await untilLimited(() => search(stage, token), perToken, 1)
    const byAddress = await untilLimited(() => search(stage), perAddress)
    return { byToken, byAddress }
  })

/** The number of requests that the tracker accepts in a minute, with any token. */
const acceptedInAMinute = (stage: Stage) =>
  stage.once('a minute of the tracker', async () => {
    const { byToken, byAddress } = await limitsOfTracker(stage)
    const accepted = byToken.accepted + byAddress.accepted
    if (accepted <= perAddress) return accepted
    // A minute may have ended in between. The next one is counted in full.
    await delay(Number(byAddress.answer.headers.get('retry-after')) * 1000)
    return (await untilLimited(() => search(stage), perAddress)).accepted
  })

/** `before`: the number of requests that already count. */
async function untilLimited(send: () => Promise<Answer>, limit: number, before = 0): Promise<Limited> {
  for (let count = before; count <= limit;) {
    const answers = await Promise.all(Array.from({ length: inParallel }, send))
    const refused = answers.filter(({ status }) => status === 429)
    count += inParallel - refused.length
    if (refused[0]) return { answer: refused[0], accepted: count }
  }
  throw new Deviation(`more than ${limit} requests are accepted`)
}

/** The first 429, and the number of requests accepted before it. */
interface Limited {
  answer: Answer
  accepted: number
}

/** Tokens of the contacts example site, obtained as the platform does, and a second use of the refresh token. */
const grantOfContacts = (stage: Stage) =>
  stage.once('grant of contacts', async () => {
    const { client, facts } = stage
    const verifier = randomBytes(32).toString('base64url')
    const redirect = new URL('/vault/oauth/callback', client.base).href
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: 'switchyard',
      redirect_uri: redirect,
      scope: 'read',
      state: 'a-state-of-the-check',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    })
    const back = await signInAtContacts(client, `${facts.sites.contacts}/oauth/authorize?${query.toString()}`)
    const form = { code: back.searchParams.get('code') ?? '', redirect_uri: redirect, code_verifier: verifier }
    const ask = (fields: Record<string, string>) =>
      client.send({
        method: 'POST',
        url: `${facts.sites.contacts}/oauth/token`,
        form: { client_id: 'switchyard', ...fields },
      })
    const first = accepted(await ask({ grant_type: 'authorization_code', ...form }))
    const again = { grant_type: 'refresh_token', refresh_token: String(first['refresh_token']) }
    const second = accepted(await ask(again))
    return { state: back.searchParams.get('state'), first, second, reused: await ask(again) }
  })

const tokenField = (name: string, says: string, holds: (grant: { first: Json; second: Json }) => unknown): Row => ({
  id: `token response/${name}`,
  says: `${says} (the example site for contacts)`,
  needs,
  async run(stage) {
    const grant = await grantOfContacts(stage)
    assert(holds(grant), 'the example site answers something else')
    const value = grant.first[name]
    return name.endsWith('_token') ? `${String(value).length} characters` : String(value)
  },
})

export const exampleSiteRows: Row[] = [
  tokenField('access_token', 'opaque or JWT-style token', ({ first }) => String(first['access_token']).length >= 20),
  tokenField('token_type', 'always Bearer', ({ first }) => first['token_type'] === 'Bearer'),
  tokenField('expires_in', '3600 for access tokens', ({ first }) => first['expires_in'] === 3600),
  tokenField(
    'refresh_token',
    'a new one on every response',
    ({ first, second }) => second['refresh_token'] && second['refresh_token'] !== first['refresh_token'],
  ),
  tokenField('scope', 'space-separated granted scopes', ({ first }) => first['scope'] === 'read'),
  {
    id: 'limits/Refresh token lifetime',
    says: 'good for one use, or 30 days (one use is tried, at the example site; of the platform: oauth/Rotation)',
    needs,
    async run(stage) {
      const { reused, state } = await grantOfContacts(stage)
      assertSame([reused.status, reused.json['error']], [400, 'invalid_grant'], 'the answer to the second use')
      assertSame(state, 'a-state-of-the-check', 'the state that came back')
      return 'the second use: 400 invalid_grant'
    },
  },
  {
    id: 'site errors/401',
    says: 'invalid token: 401 with a member error (the example issue tracker)',
    needs,
    async run(stage) {
      const answer = await search(stage, 'not-a-token', false)
      assertSame([answer.status, typeof answer.json['error']], [401, 'string'], 'status and error')
      return outcomeOf(answer)
    },
  },
  {
    id: 'site errors/403',
    says: 'insufficient permissions: 403 with a member error (the example issue tracker)',
    needs,
    async run(stage) {
      const url = `${stage.facts.sites.issueTracker}/api/tools/issues.createIssue`
      const token = await tokenOf(stage, 'reader')
      const answer = await stage.client.send({ method: 'POST', url, token, body: { title: 'A' } })
      assertSame([answer.status, typeof answer.json['error']], [403, 'string'], 'status and error')
      return outcomeOf(answer)
    },
  },
  {
    id: 'site errors/429',
    says: 'rate limited: 429 with Retry-After and a member error (the example issue tracker)',
    needs,
    async run(stage) {
      const { answer } = (await limitsOfTracker(stage)).byToken
      const seconds = Number(answer.headers.get('retry-after'))
      assert(seconds > 0 && seconds <= 60, `Retry-After says ${seconds} s, for a window of a minute`)
      assert(typeof answer.json['error'] === 'string', 'the member error is missing')
      return `${outcomeOf(answer)}, Retry-After ${seconds}`
    },
  },
  {
    id: 'limits/Requests per token',
    says: '60 per minute, recommended to sites (tried at the example issue tracker)',
    needs,
    async run(stage) {
      const { byToken } = await limitsOfTracker(stage)
      assertSame(byToken.accepted, perToken, 'the number of requests that were accepted')
      return `${byToken.accepted} requests were accepted, and then none`
    },
  },
  {
    id: 'limits/Requests per IP address',
    says: '200 per minute, recommended to sites (that at most 200 are accepted, at the example issue tracker)',
    needs,
    async run(stage) {
      const { byAddress } = await limitsOfTracker(stage)
      const count = await acceptedInAMinute(stage)
      assert(count <= perAddress, `${count} requests are accepted`)
      return `${outcomeOf(byAddress.answer)}, after ${count} requests, with a token and without`
    },
  },
]
