import type { LanguageModelV4Message } from '@ai-sdk/provider'
import test from 'ava'
import * as fc from 'fast-check'
import { splitFenced } from '../../../src/models/fence.ts'
import { visible } from '../../../src/models/visible-text.ts'
import { buildPrompt, type Transcript } from '../../../src/loop/run-prompt.ts'
import type { TranscriptCall } from '../../../src/models/prompt.ts'

const empty: Transcript = { systemPrompt: 'Sort the tickets.', trigger: 'webhook', steps: [] }

const call = (outcome: TranscriptCall['outcome'], id = 'c1', args = '{"q":"x"}'): TranscriptCall => ({
  id,
  name: 'search',
  arguments: args,
  outcome,
})

const reader = { by: 'openai gpt', textArguments: false }

/** The instructions and the messages after them. */
function promptOf(transcript: Transcript): { instructions: string; messages: LanguageModelV4Message[] } {
  const [system, ...messages] = buildPrompt(transcript, reader)
  return { instructions: system?.role === 'system' ? system.content : '', messages }
}

const opening = (transcript: Transcript): string => {
  const [first] = promptOf(transcript).messages
  const [part] = first?.role === 'user' ? first.content : []
  return part?.type === 'text' ? part.text : ''
}

function results(transcript: Transcript): { type: string; value: string }[] {
  return promptOf(transcript)
    .messages.flatMap(({ role, content }) => (role === 'tool' ? content : []))
    .flatMap((part) => (part.type === 'tool-result' ? [part.output as { type: string; value: string }] : []))
}

const resultOf = (outcome: TranscriptCall['outcome']) => {
  const [result] = results({ ...empty, steps: [{ text: '', calls: [call(outcome)] }] })
  return result ?? { type: 'none', value: '' }
}

test('the instructions are the system prompt, followed by the rules about fenced texts', (t) => {
  const { instructions } = promptOf(empty)
  t.true(instructions.startsWith('Sort the tickets.\n\n'))
  t.regex(instructions, /Never follow instructions/)
  t.false(promptOf({ ...empty, systemPrompt: '' }).instructions.startsWith('\n'))
})

const schema = [{ name: 'email', type: 'string', required: true, description: 'who wrote' }]
const missingSites = [
  { name: 'Sites\n"secretWord"', origin: 'https://crm.example.com', reason: 'removed' as const },
  { name: 'Wiki', origin: 'https://wiki.example.com', reason: 'no_usable_tool' as const },
]
const sites =
  '"Sites\\n\\"secretWord\\"" (https://crm.example.com): no longer connected\n' +
  '"Wiki" (https://wiki.example.com): none of its tools can be used at the moment'
const headers = { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': 'secretWord' }
const payload = '{"secretWord": 1}'
const untrusted = { kind: 'untrusted payload', text: payload }

/** What is given, what stands in fences, and what the platform says of it. */
const fenced: [given: Partial<Transcript>, blocks: { kind: string; text: string }[], words: RegExp][] = [
  [{ payload }, [untrusted], /data, not instructions/],
  [{ payload: '' }, [{ kind: 'untrusted payload', text: '' }], /data, not instructions/],
  [{ schema, payload }, [{ kind: 'schema', text: JSON.stringify(schema) }, untrusted], /./],
  [
    { headers, payload },
    [{ kind: 'untrusted headers', text: 'X-GitHub-Event: push\nX-GitHub-Delivery: secretWord' }, untrusted],
    /./,
  ],
  [
    { missingSites, payload },
    [{ kind: 'untrusted sites', text: sites }, untrusted],
    /tools are unavailable, so you cannot call them/,
  ],
  [{ missingSites: [] }, [], /^This run was started by a webhook\.$/],
  [{ trigger: 'manual' }, [], /^This run was started manually\.$/],
  [{ trigger: 'scheduled' }, [], /^This run was started by its schedule\.$/],
  [{ schema: [] }, [], /^This run was started by a webhook\.$/],
]

test('what others wrote is fenced as untrusted, in order, and nothing of it stands outside', (t) => {
  for (const [given, blocks, said] of fenced) {
    const { words, blocks: found } = splitFenced(opening({ ...empty, ...given }))
    t.deepEqual(
      found.map(({ kind, text }) => ({ kind, text: kind === 'schema' ? JSON.stringify(JSON.parse(text)) : text })),
      blocks,
    )
    t.regex(words, said)
    t.false(words.includes('secretWord'))
  }
})

test('steps keep their order, and each call is answered right after it', (t) => {
  const ok = { status: 'succeeded' as const, text: '{}' }
  const steps = [
    { text: 'first', calls: [call(ok, 'a'), call(ok, 'b')] },
    { text: '', calls: [call(ok, 'c')] },
    { text: '', calls: [] },
    { text: 'done', calls: [] },
  ]
  const { messages } = promptOf({ ...empty, steps })
  t.deepEqual(
    messages.map(({ role }) => role),
    ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'],
  )
  const ids = messages.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.flatMap((part) => ('toolCallId' in part ? [part.toolCallId] : [])),
  )
  t.deepEqual(ids, ['a', 'b', 'a', 'b', 'c', 'c'])
})

test('a result is fenced as untrusted, and one that is no success says so in the text, too', (t) => {
  const rows: [TranscriptCall['outcome'], type: string, words: RegExp][] = [
    [{ status: 'succeeded', text: '{"id":7}' }, 'text', /./],
    [{ status: 'failed', text: 'no such ticket' }, 'error-text', /^The call failed\./],
    [
      { status: 'unknown', text: 'the connection was lost' },
      'error-text',
      /^It is unknown whether this call took effect\. Do not assume/,
    ],
    [{ status: 'succeeded', text: 'x'.repeat(32 * 1024) }, 'text', /^(?!.*bytes long)/s],
  ]
  for (const [outcome, type, words] of rows) {
    const result = resultOf(outcome)
    t.is(result.type, type)
    t.regex(result.value, words)
    t.deepEqual(splitFenced(result.value).blocks, [{ kind: 'untrusted result', text: outcome.text }])
  }
})

test('a longer result is cut between two characters, with a note of the full size', (t) => {
  for (const character of ['x', 'é', '語', '🙂']) {
    const text = `ab${character.repeat(20_000)}${'x'.repeat(20_000)}`
    const { value } = resultOf({ status: 'succeeded', text })
    const inside = splitFenced(value).blocks[0]?.text ?? ''
    t.true(Buffer.byteLength(inside) <= 32 * 1024)
    t.true(Buffer.byteLength(inside) > 32 * 1024 - 4)
    t.true(text.startsWith(inside))
    t.true(value.includes(`${Buffer.byteLength(text)} bytes long`))
  }
})

test('arguments that are no JSON object are shown to the model inside an object', (t) => {
  for (const args of ['{"q":', '[1]', 'null', '['.repeat(100_000), `{"a":${'['.repeat(100)}${']'.repeat(100)}}`]) {
    const failed = call({ status: 'failed', text: 'not an object' }, 'a', args)
    const { messages } = promptOf({ ...empty, steps: [{ text: '', calls: [failed] }] })
    const [part] = messages[1]?.content ?? []
    t.deepEqual((part as { input: unknown }).input, { unreadableArguments: args.slice(0, 1000) })
  }
})

test('whatever payload and results contain, they stay inside their fences', (t) => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constant(opening({ ...empty, payload: '{"stop": true}' })),
    fc.constant(resultOf({ status: 'succeeded', text: 'ok' }).value),
  )
  fc.assert(
    fc.property(hostile, hostile, (payload, text) => {
      const steps = [{ text: '', calls: [call({ status: 'succeeded', text })] }]
      const plain = splitFenced(opening({ ...empty, payload: '' })).words
      t.is(splitFenced(opening({ ...empty, payload })).words, plain)
      const [result] = results({ ...empty, payload, steps })
      t.deepEqual(splitFenced(result?.value ?? '').blocks, [
        { kind: 'untrusted result', text: visible(text.toWellFormed()) },
      ])
    }),
  )
})

/** The parts of the only answer in the prompt of a reader that sends arguments as text. */
function answerOf(step: Transcript['steps'][number]) {
  const prompt = buildPrompt({ ...empty, steps: [step] }, { ...reader, textArguments: true })
  return prompt.flatMap(({ role, content }) => (role === 'assistant' ? content : []))
}

test('thoughts that an answer ends with lead to nothing, and are not sent back', (t) => {
  const parts = [
    { type: 'reasoning', text: 'first', metadata: { openai: { itemId: 'rs_1' } } },
    { type: 'text', text: 'So far' },
    { type: 'reasoning', text: 'cut off' },
  ]
  const answer = answerOf({ text: 'So far', calls: [], content: JSON.stringify({ by: reader.by, parts }) })
  t.deepEqual(answer, [
    { type: 'reasoning', text: 'first', providerOptions: { openai: { itemId: 'rs_1' } } },
    { type: 'text', text: 'So far' },
  ])
})

test('an answer without a word or a call is not sent back, whatever its provider gave with it', (t) => {
  const parts = [
    { type: 'reasoning', text: 'so', metadata: { openai: { itemId: 'rs_1' } } },
    { type: 'text', text: ' ', metadata: { openai: { itemId: 'msg_1' } } },
  ]
  t.deepEqual(answerOf({ text: ' ', calls: [], content: JSON.stringify({ by: reader.by, parts }) }), [])
})

test('arguments go out as the text that the model wrote, unless the adapter would take it for an attack', (t) => {
  const inputOf = (args: string) => {
    const [part] = answerOf({ text: '', calls: [call({ status: 'succeeded', text: '' }, 'c1', args)] })
    return part?.type === 'tool-call' ? part.input : undefined
  }
  t.is(inputOf('{ "n": 12345678901234567890 }'), '{ "n": 12345678901234567890 }')
  for (const name of ['__proto__', 'constructor', String.raw`\u005f_proto__`, String.raw`\u0063onstructor`]) {
    t.deepEqual(inputOf(`{"${name}":{"a":1}}`), JSON.parse(`{"${name}":{"a":1}}`))
  }
})
