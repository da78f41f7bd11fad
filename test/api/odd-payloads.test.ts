import { gzipSync } from 'node:zlib'
import test from 'ava'
import { inputOf } from '../../src/runs/run-input.ts'
import * as agents from '../../api/agents.ts'
import * as webhooks from '../../api/webhooks.ts'
import { call } from '../helpers/client.ts'
import { customer, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const deep = `${'{"a":'.repeat(99)}1${'}'.repeat(99)}`

/** JSON objects that a stricter reader would refuse or change; what they mean is the sender's business. */
const odd: Record<string, string> = {
  'numbers beyond 2^53': '{"id":9007199254740993,"id2":-9007199254740993,"price":0.1000000000000000055}',
  'numbers beyond all bounds': '{"a":1e400,"b":-1e400,"c":1e-400}',
  'U+0000': '{"text":"before\\u0000after","na\\u0000me":1}',
  'halves of surrogate pairs': '{"text":"\\ud800","other":"\\udc00\\ud800","\\udfff":1}',
  'a member twice': '{"a":1,"a":{"b":2},"a":3}',
  '__proto__ and its like':
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":null,"then":1}',
  'odd names': '{"":"empty"," ":"blank","a.b":1,"0":2,"\\"":3,"$ref":"#","$where":"1"}',
  'a hundred levels': deep,
  'ten thousand members': `{${Array.from({ length: 10_000 }, (_, n) => `"m${n}":${n}`).join(',')}}`,
  'invisible and reversed text': '{"text":"\u200b\u202eabc\u2066\ufeff\u0085\u2028"}',
  'directives and markup': '{"text":"[[then]] </payload> ```\\n<!-- --> \'; drop table runs; -- ${a} {{b}}"}',
  nothing: '{}',
}

const shared = forWholeFile(test, 'odd payloads', async (t) => {
  const platform = await startPlatform(t, { worker: true })
  return { platform, someone: await customer(platform) }
})

/** An agent of the test's own; unless it is to run, its deliveries are kept only, which is all that most tests look at. */
async function openAgent({ runs = false } = {}) {
  const { platform, someone } = await shared()
  const agent = await webhookAgent(someone)
  if (!runs) await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  const post = (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
    call({ url: platform.url }, webhooks.receiveWebhook, {
      params: { agentId: agent.id },
      raw,
      headers: { 'x-webhook-secret': agent.webhookSecret, ...headers },
    })
  const stored = async (runId: string): Promise<unknown> => (await inputOf(platform.services.database, runId))?.payload
  return { someone, post, stored, limit: platform.config.bodies.webhookBytes }
}

// @promise payloads
test('any JSON object is accepted, kept as the text that came, and run', async (t) => {
  const { someone, post, stored } = await openAgent({ runs: true })
  const receipts: [string, string, string][] = []
  for (const [what, raw] of Object.entries(odd)) receipts.push([what, raw, (await post(raw)).body.runId])
  for (const [what, raw, runId] of receipts) {
    t.is(await stored(runId), raw, what)
    const run = await ended(someone, runId)
    t.is(run.status, 'completed', what)
    const timeline = await timelineOf(someone, runId)
    t.is(timeline.length, run.events, what)
    // What passes through JavaScript again: the timeline shows the payload as it was parsed.
    t.deepEqual(timeline[0]?.data['payload'], JSON.parse(JSON.stringify(JSON.parse(raw))), what)
  }
  t.is(({} as { polluted?: boolean }).polluted, undefined)
})

test('a payload may come compressed, in chunks, after a byte order mark, and under any JSON type', async (t) => {
  const { post, stored } = await openAgent()
  const raw = '{"n":9007199254740993,"text":"caf\u00e9 \u{1f600}"}'
  const ways: [string, string | Uint8Array, Record<string, string>][] = [
    ['gzip', gzipSync(raw), { 'content-encoding': 'gzip' }],
    ['a byte order mark', `\ufeff${raw}`, {}],
    ['a charset', raw, { 'content-type': 'application/json; charset=utf-8' }],
    ['a type of its own', raw, { 'content-type': 'application/cloudevents+json' }],
    ['capital letters', raw, { 'content-type': 'Application/JSON' }],
  ]
  for (const [what, body, headers] of ways) t.is(await stored((await post(body, headers)).body.runId), raw, what)
})

// @promise payloads
test('a payload may be as long as the limit says, to the last byte', async (t) => {
  const { post, limit } = await openAgent()
  t.is((await post(`{}${' '.repeat(limit - 2)}`)).status, 202)
  t.is((await post(`{}${' '.repeat(limit - 1)}`)).failure.code, 'VALIDATION_ERROR')
})

test('one odd payload under one idempotency key is one run', async (t) => {
  const { post } = await openAgent()
  const key = { 'idempotency-key': 'x'.repeat(255) }
  const raw = '{"a":1e400,"b":"\\u0000","a":2}'
  const [first, second] = [await post(raw, key), await post(raw, key)]
  t.is(second.body.runId, first.body.runId)
  t.is((await post('{"a":1e400,"b":"\\u0000"}', key)).failure.code, 'VALIDATION_ERROR')
})
