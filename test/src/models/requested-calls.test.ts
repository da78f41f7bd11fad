import type { LanguageModelV4ToolCall } from '@ai-sdk/provider'
import test from 'ava'
import { readCalls } from '../../../src/models/requested-calls.ts'

const made = (input: string, toolName = 'find', toolCallId = 'c'): LanguageModelV4ToolCall => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input,
})
const read = (...calls: LanguageModelV4ToolCall[]) => readCalls(calls, new Set(['find']), new Set(['taken']))

const exact = '{"n": 12345678901234567890, "a":1.0}'
const deep = `{"q":${'['.repeat(5000)}${']'.repeat(5000)}}`

const written: [what: string, input: string, recorded: string][] = [
  ['every digit and space', exact, exact],
  ['no arguments', '', '{}'],
  ['half of a pair', String.raw`{"q":"\ud83d"}`, String.raw`{"q":"\ufffd"}`],
  ['halves in the wrong order', String.raw`{"q":"\uDE00 \uD83D"}`, String.raw`{"q":"\ufffd \ufffd"}`],
  ['a pair', String.raw`{"q":"\ud83d\ude00"}`, String.raw`{"q":"\ud83d\ude00"}`],
  ['other escapes', String.raw`{"q":"\\ud83d \u00e4 \n"}`, String.raw`{"q":"\\ud83d \u00e4 \n"}`],
  ['half of a pair as it is', '{"q":"\ud83d"}', '{"q":"\ufffd"}'],
  // What was checked is what is sent.
  ['a member that occurs twice', '{"m":"DELETE","list":[{"a":1,"a":2}],"m":"safe"}', '{"m":"safe","list":[{"a":2}]}'],
  ['a member in a text', '{ "m": "a:\\"m\\": c" }', '{ "m": "a:\\"m\\": c" }'],
]

test('arguments keep the text that the model wrote, except for what Postgres cannot keep and what is not checked', (t) => {
  for (const [what, input, recorded] of written)
    t.deepEqual(read(made(input)), [{ id: 'c', name: 'find', arguments: recorded }], what)
})

test('arguments that are no JSON object are returned with the problem', (t) => {
  for (const text of ['{"q":', '[1]', '"text"', 'null', '7', deep, `{"a":"${'x'.repeat(300_000)}"}`]) {
    const [call] = read(made(text))
    t.is(call?.arguments, text)
    t.is(call?.problem, 'The arguments must be a JSON object of at most 262144 characters and 64 levels.')
  }
  t.is(read(made('{"q":"\0\uD800"}'))[0]?.arguments, '{"q":"\uFFFD\uFFFD"}')
})

const offeredOnly = 'You can call only the tools you were given.'

test('a call of a tool that was not offered is returned with its problem and a name providers take', (t) => {
  const calls = read(made('{}', 'rm -rf /', 'a'), made('{}', '__proto__', 'b'), made('{}', 'toString', 'c'))
  t.like(calls, [
    { name: 'rm_-rf__', problem: `There is no tool named "rm -rf /". ${offeredOnly}` },
    { name: '__proto__', problem: `There is no tool named "__proto__". ${offeredOnly}` },
    { name: 'toString', problem: `There is no tool named "toString". ${offeredOnly}` },
  ])
})

test('each call has an id of its own, and the first thousand are looked at', (t) => {
  const ids = ['taken', '', 'a b', 'x', 'x'].map((id) => made('{}', 'find', id))
  const given = read(...ids).map(({ id }) => id)
  t.is(given[3], 'x')
  t.is(new Set([...given, 'taken', '', 'a b']).size, 8)
  const many = read(...Array.from({ length: 1010 }, (_, index) => made('{}', 'find', `c${index}`)))
  t.deepEqual([many.length, many.at(-1)?.id], [1000, 'c999'])
})
