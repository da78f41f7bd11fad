import test from 'ava'
import { readCalls } from '../../../src/models/calls.ts'

const argumentsOf = (input: string) => {
  const [call] = readCalls(
    [{ type: 'tool-call', toolCallId: 'c', toolName: 'find', input }],
    new Set(['find']),
    new Set(),
  )
  return call
}

test('halves of surrogate pairs in arguments are replaced, however they are written, and pairs stay', (t) => {
  const rows: [input: string, arguments_: string][] = [
    [String.raw`{"q":"\ud83d"}`, String.raw`{"q":"\ufffd"}`],
    [String.raw`{"q":"\uDE00 \uD83D"}`, String.raw`{"q":"\ufffd \ufffd"}`],
    [String.raw`{"q":"\ud83d\ude00"}`, String.raw`{"q":"\ud83d\ude00"}`],
    [String.raw`{"q":"\\ud83d \u00e4 \n"}`, String.raw`{"q":"\\ud83d \u00e4 \n"}`],
    ['{"q":"\ud83d"}', '{"q":"\ufffd"}'],
  ]
  for (const [input, wanted] of rows) t.is(argumentsOf(input)?.arguments, wanted)
})

test('arguments that are nested too deeply are no call, and keep their text', (t) => {
  const deep = `{"q":${'['.repeat(5000)}${']'.repeat(5000)}}`
  t.like(argumentsOf(deep), { arguments: deep })
  t.regex(argumentsOf(deep)?.problem ?? '', /not a JSON object of reasonable size and depth/)
})
