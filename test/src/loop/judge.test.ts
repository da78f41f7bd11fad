import test from 'ava'
import { isGivenUp, judge, judgeAnswer } from '../../../src/loop/judge.ts'
import type { StepProblem } from '../../../src/models/prompt-format.ts'

/* What an answer without calls counts for; of a chat, its reader has the words already. */

const outputs = { read: async () => ({ output: '1' }) }

const rows: [title: string, text: string, finish: 'stop' | 'length' | 'content-filter', run?: string, chat?: string][] =
  [
    ['an answer with words', 'Hello.', 'stop'],
    ['an answer without words', ' \n', 'stop', 'empty', 'empty'],
    ['an answer that was cut off', 'Hel', 'length', 'truncated'],
    ['an answer that was cut off before its first word', '', 'length', 'truncated', 'truncated'],
    ['a refusal', '', 'content-filter', 'refused', 'refused'],
    ['a refusal with words', 'I cannot', 'content-filter', 'refused'],
  ]

for (const [title, text, finish, run, chat] of rows) {
  test(`${title} counts as ${run ?? 'an answer'} in a run, and as ${chat ?? 'an answer'} in a chat`, async (t) => {
    const wanted = { outputs, schema: undefined, ownerId: 'o' }
    const judged = async (isRead: boolean) =>
      (await judge({ text, finish, calls: [] }, { ...wanted, isRead })).verdict?.outcome
    t.is(await judged(false), run as StepProblem | undefined)
    t.is(await judged(true), chat as StepProblem | undefined)
  })
}

test('an answer with calls counts, whatever it ends with', (t) => {
  const calls = [{ id: 'call' }] as unknown as Parameters<typeof judgeAnswer>[0]['calls']
  for (const finish of ['tool-calls', 'content-filter', 'length'] as const) {
    t.is(judgeAnswer({ calls, finish, text: '' }), undefined)
  }
})

const givenUp: [outcome: StepProblem, corrections: number, expected: boolean][] = [
  ['refused', 1, true],
  ['empty', 1, false],
  ['empty', 2, true],
  ['truncated', 2, true],
  ['off_schema', 2, false],
]

for (const [outcome, corrections, expected] of givenUp) {
  const rule = expected ? 'goes to another model' : 'stays with its model'
  test(`what has ${corrections} rejected answers in a row, the last one ${outcome}, ${rule}`, (t) => {
    t.is(isGivenUp(outcome, corrections), expected)
  })
}
