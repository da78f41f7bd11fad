import test from 'ava'
import { judgeAnswer, maxCorrections } from '../../../src/loop/judge-answer.ts'

const call = { id: 'call', name: 'tool', arguments: '{}' } as unknown as Parameters<
  typeof judgeAnswer
>[0]['calls'][number]

test('an answer counts if it has calls, or ends with words', (t) => {
  const rows: [Parameters<typeof judgeAnswer>[0], string | undefined][] = [
    [{ calls: [], finish: 'stop', text: 'Done.' }, undefined],
    [{ calls: [], finish: 'other', text: 'Done.' }, undefined],
    [{ calls: [], finish: 'content-filter', text: 'No.' }, 'refused'],
    [{ calls: [], finish: 'length', text: 'Do' }, 'truncated'],
    [{ calls: [], finish: 'stop', text: '' }, 'empty'],
    [{ calls: [], finish: 'stop', text: ' \n' }, 'empty'],
    [{ calls: [call], finish: 'tool-calls', text: '' }, undefined],
    [{ calls: [call], finish: 'content-filter', text: '' }, undefined],
    [{ calls: [call], finish: 'length', text: '' }, undefined],
  ]
  for (const [answer, outcome] of rows) {
    const verdict = judgeAnswer(answer)
    t.deepEqual(verdict, outcome && { outcome, remark: null }, JSON.stringify(answer))
  }
  t.is(maxCorrections, 1)
})
