import test from 'ava'
import { SafeFetchError, type SafeFetch, type SafeFetchReason } from '../../../src/safe-fetch/safe-fetch.ts'
import { createLogger } from '../../../src/logger.ts'
import type * as inThread from '../../../src/in-thread.ts'
import { createThreads } from '../../../src/threads/threads.ts'
import { createCallSite } from '../../../src/tools/call-site.ts'
import { statusAfter } from '../../../src/tools/tool-call.ts'
import { unreadResult } from '../../../src/tools/unread-result.ts'
import { exhausted } from '../../helpers/threads.ts'

const logger = createLogger('silent', 'test')
const token = 'the-token-of-the-owner'
const ownerId = 'the owner'
const call = {
  dialect: 'manifest',
  entryId: 'the entry',
  generation: 1,
  serverUrl: 'https://site.example/api',
  tool: 'act',
  token,
  ownerId,
  arguments: '{}',
  idempotencyKey: 'k',
} as const
const request = { url: call.serverUrl, method: 'POST', timeoutMs: 1000, maxBytes: 1024 } as const

const file = new URL('../../../src/in-thread.ts', import.meta.url)
const threads = createThreads<typeof inThread>({ file })
test.after.always(() => threads.close())

/** What comes of a call that the site answers so, or that fails so. */
function outcomeOf(fetch: SafeFetch, readers = threads) {
  const callSite = createCallSite({ logger, threads: readers })
  return callSite.attempt(call, async () => callSite.ofResponse(call, await fetch(request)))
}

const sending = (status: number, body: string, readers = threads) =>
  outcomeOf(async () => ({ status, headers: new Headers(), body: Buffer.from(body) }), readers)

const answering = (status: number, body: unknown) => sending(status, JSON.stringify(body))

const failing = (reason: SafeFetchReason, maybeSent: boolean) =>
  outcomeOf(() => Promise.reject(new SafeFetchError(reason, { maybeSent })))

test('a token that the site gives back is in no outcome, whatever the size of the answer', async (t) => {
  for (const padding of ['', 'x'.repeat(100_000)]) {
    for (const status of [200, 400, 401, 403, 429, 500]) {
      const seen = { authorization: `Bearer ${token}` }
      const outcome = await answering(status, { error: `bad ${token}`, seen, padding })
      t.false(JSON.stringify(outcome).includes(token), String(status))
      t.true(outcome.text.includes('bad [token]'), String(status))
    }
  }
})

test('of a token that a long refusal quotes nothing is left, wherever the words of the site are cut', async (t) => {
  for (let before = 2000 - token.length; before <= 2000; before += 1) {
    const { text } = await answering(400, { error: `${'x'.repeat(before)}${token}, and more` })
    t.true(text.includes('x'.repeat(before)), 'it is the cut that is looked at')
    t.false(text.includes(token.slice(0, 4)), `after ${before} characters: ${text.slice(-40)}`)
  }
})

test('large answers are read as small ones are', async (t) => {
  const blanks = ' '.repeat(100_000)
  for (const text of ['{"a":1}', '{"a":1,"a":123456789012345678901234567890}', '[]', 'null', '{', '<html>', '']) {
    t.deepEqual(await sending(200, `${text}${blanks}`).then(trimmed), await sending(200, text), text)
    t.deepEqual(await sending(404, `${text}${blanks}`), await sending(404, text), text)
  }
})

const trimmed = <T extends { text: string }>(outcome: T): T => ({ ...outcome, text: outcome.text.trimEnd() })

test('a result that is too complex counts as carried out and unread, whatever the effect', async (t) => {
  const deep = `{"a":${'['.repeat(200)}${']'.repeat(200)}}`
  const long = JSON.stringify({ a: 'x'.repeat(100_000) })
  for (const outcome of [await sending(200, deep), await sending(201, long, exhausted)]) {
    t.is(outcome.kind, 'unread')
    t.is(outcome.text, `${unreadResult} The response is too complex.`)
    for (const effect of ['read', 'idempotent', 'once'] as const) t.is(statusAfter({ effect }, outcome), 'succeeded')
  }
  const refusal = await sending(400, JSON.stringify({ error: 'No.', more: 'x'.repeat(100_000) }), exhausted)
  t.like(
    refusal,
    { kind: 'rejected', certain: false, text: 'The site rejected the call with status 400.' },
    'without its words',
  )
})

test('an empty answer of a success is an empty result', async (t) => {
  for (const status of [200, 204, 299])
    for (const body of ['', ' \r\n'])
      t.deepEqual(await sending(status, body), { kind: 'succeeded', httpStatus: status, text: '{}' })
})

const unreadable: [body: string | Buffer, said: string][] = [
  ['OK', 'is not valid JSON'],
  ['{"a":1', 'is not valid JSON'],
  ['a=1&b=2', 'is not valid JSON'],
  ['[1]', 'is not a JSON object'],
  ['null', 'is not a JSON object'],
  ['"done"', 'is not a JSON object'],
  [Buffer.from('{"a":"\u00ff"}', 'latin1'), 'is not valid UTF-8'],
]

test('a 2xx proves that the call was carried out, although its answer cannot be read', async (t) => {
  for (const [body, said] of unreadable)
    for (const status of [200, 201]) {
      const outcome = await outcomeOf(async () => ({ status, headers: new Headers(), body: Buffer.from(body) }))
      t.deepEqual(outcome, { kind: 'unread', httpStatus: status, text: `${unreadResult} The response ${said}.` })
      for (const effect of ['read', 'idempotent', 'once'] as const) t.is(statusAfter({ effect }, outcome), 'succeeded')
    }
})

test('of an answer that was not read the status decides', async (t) => {
  for (const reason of ['too-large', 'encoding'] as const) {
    const after = (status?: number) =>
      outcomeOf(() => Promise.reject(new SafeFetchError(reason, { maybeSent: true, status })))
    t.like(await after(201), { kind: 'unread', httpStatus: 201 })
    for (const status of [undefined, 400, 500]) t.like(await after(status), { kind: 'broken', certain: false })
  }
})

test('a 503 may say how long the site is away, another failure may not', async (t) => {
  const after = (status: number, value: string) =>
    outcomeOf(async () => ({ status, headers: new Headers({ 'Retry-After': value }), body: Buffer.from('{}') }))
  t.like(await after(503, '45.5'), { kind: 'broken', retryAfter: 46 })
  t.false('retryAfter' in (await after(503, 'soon')))
  t.false('retryAfter' in (await after(500, '45')))
})

test('only a refusal and a connection that never came about prove that the site did nothing', async (t) => {
  for (const reason of ['timeout', 'reset', 'connect', 'tls'] as const) {
    t.like(await failing(reason, true), { kind: 'unavailable', certain: false }, reason)
    t.like(await failing(reason, false), { kind: 'unavailable', certain: true }, reason)
  }
  t.like(await failing('invalid-url', false), { kind: 'unavailable', certain: true, permanent: true })
  for (const reason of ['too-large', 'redirect'] as const) {
    t.like(await failing(reason, true), { kind: 'broken', certain: false }, reason)
  }
  for (const status of [401, 403, 429]) t.like(await answering(status, {}), { kind: 'refused', certain: true })
  for (const status of [400, 404]) t.like(await answering(status, {}), { kind: 'rejected', certain: false })
  for (const status of [408, 500, 503]) t.like(await answering(status, {}), { kind: 'broken', certain: false })
})
