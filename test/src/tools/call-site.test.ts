import test from 'ava'
import type { Config } from '../../../src/config/config.ts'
import { SafeFetchError, type SafeFetch, type SafeFetchReason } from '../../../src/safe-fetch/safe-fetch.ts'
import { createCallSite } from '../../../src/tools/call-site.ts'

const config = { sites: { timeoutSeconds: 1, resultBytes: 1000 } } as Config
const token = 'the-token-of-the-owner'
const call = { serverUrl: 'https://site.example/api', tool: 'act', token, arguments: '{}', idempotencyKey: 'k' }

/** What comes of a call that the site answers so, or that fails so. */
const outcomeOf = (fetch: SafeFetch) => createCallSite({ fetch, config })(call)

const answering = (status: number, body: unknown) =>
  outcomeOf(async () => ({ status, headers: new Headers(), body: Buffer.from(JSON.stringify(body)) }))

const failing = (reason: SafeFetchReason, maybeSent: boolean) =>
  outcomeOf(() => Promise.reject(new SafeFetchError(reason, { maybeSent })))

test('a token that the site gives back is in no outcome', async (t) => {
  for (const status of [200, 400, 401, 403, 429, 500]) {
    const outcome = await answering(status, { error: `bad ${token}`, seen: { authorization: `Bearer ${token}` } })
    t.false(JSON.stringify(outcome).includes(token), String(status))
  }
})

test('only a refusal and a connection that never came about prove that the site did nothing', async (t) => {
  for (const reason of ['timeout', 'reset', 'connect', 'tls'] as const) {
    t.like(await failing(reason, true), { kind: 'unavailable', certain: false }, reason)
    t.like(await failing(reason, false), { kind: 'unavailable', certain: true }, reason)
  }
  for (const reason of ['too-large', 'redirect'] as const) {
    t.like(await failing(reason, true), { kind: 'broken', certain: false }, reason)
  }
  for (const status of [401, 403, 429]) t.like(await answering(status, {}), { kind: 'refused', certain: true })
  for (const status of [400, 404]) t.like(await answering(status, {}), { kind: 'rejected', certain: false })
  for (const status of [408, 500, 503]) t.like(await answering(status, {}), { kind: 'broken', certain: false })
})
