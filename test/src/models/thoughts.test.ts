import test from 'ava'
import { answerWithoutThoughts, createWithoutThoughts } from '../../../src/models/thoughts.ts'

/** The words of a text that comes in pieces of some length. */
function wordsOf(text: string, length: number): string {
  const filter = createWithoutThoughts('think')
  const pieces = text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? []
  return [...pieces.map((piece) => filter.add(piece)), filter.end()].join('')
}

const rows: [string, string][] = [
  ['<think>a</think>\n\nHello <b>x</b> < 3', 'Hello <b>x</b> < 3'],
  ['a b</think>\n\n{"a":1}', '{"a":1}'],
  [' plain ', ' plain '],
  ['\n<think>x</think>\n y', 'y'],
  ['Sure <think>x</think> done', 'Sure  done'],
  ['<think></think>Hi<think>more</think> there', 'Hi there'],
  ['<think>\n a <think> b</think>X', 'X'],
  ['<think>a<think>b</think>SECRET</think>ok', 'ok'],
  ['<think>a<think>b</think>SECRET<think>c</think>SECRET</think>ok', 'ok'],
  ['<think>a<think>b<think>c</think>SECRET</think>SECRET</think>ok <think>d</think>too', 'ok too'],
  ['<think>a<think>b</think>X<think>cut', ''],
  ['<THINK>a</Think>ok', 'ok'],
  ['<think >a</think\n>ok', 'ok'],
  ['a</THINK >ok', 'ok'],
  ['<thinking>a</thinking>', '<thinking>a</thinking>'],
  ['<think x', '<think x'],
  ['<think>cut', ''],
  ['a < b and <thin', 'a < b and <thin'],
  ['<think>x</think>a < b and <thin', 'a < b and <thin'],
  ['', ''],
]

test('thoughts between tags are no words, however they come', (t) => {
  for (const [text, words] of rows) for (const length of [1, 2, 3, 7, 100]) t.is(wordsOf(text, length), words, text)
})

test('once it is clear that words follow, they are passed on at once', (t) => {
  const filter = createWithoutThoughts('think')
  t.deepEqual(
    ['Let me', ' see.</th', 'ink>\n', 'Hello', ' <', 'b>'].map((piece) => filter.add(piece)),
    ['', '', '', 'Hello', ' ', '<b>'],
  )
})

test('a thought that a server cut into several texts is none of them', (t) => {
  const text = (words: string) => ({ type: 'text' as const, text: words })
  const finishReason = { unified: 'stop' as const, raw: 'stop' }
  const answer = { content: [text('<think>a'), text('b</think> c'), text(' d')], finishReason, usage: undefined }
  t.deepEqual(answerWithoutThoughts(answer, 'think').content, [text('c'), text(' d')])
})
