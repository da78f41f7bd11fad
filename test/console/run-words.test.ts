import test from 'ava'
import { reasonOf, startedBy, workedMs } from '../../console/parts/run-words.ts'

const run = {
  status: 'running',
  error: null,
  waitingCause: null,
  waitingFor: null,
  cancelRequestedAt: null,
  endedAt: null,
} as const

for (const { title, given, expected } of [
  { title: 'a run at work has nothing to explain', given: {}, expected: undefined },
  {
    title: 'a run that waits for a site names its host',
    given: { waitingCause: 'rate_limit', waitingFor: 'https://shop.example:8443' },
    expected: 'Waits for its turn at shop.example:8443',
  },
  {
    title: 'a run that waits for a model names it',
    given: { waitingCause: 'model', waitingFor: 'openai/gpt-5' },
    expected: 'Waits for the model openai/gpt-5',
  },
  {
    title: 'a cancellation says more than a wait',
    given: { waitingCause: 'approval', cancelRequestedAt: '2026-11-26T09:00:00Z' },
    expected: 'Is being cancelled',
  },
  {
    title: 'an error says more than a cancellation',
    given: { error: 'It broke.', cancelRequestedAt: '2026-11-26T09:00:00Z' },
    expected: 'It broke.',
  },
  {
    title: 'a run that has ended waits for nothing',
    given: { endedAt: '2026-11-26T09:00:00Z', waitingCause: 'paused' },
    expected: undefined,
  },
] as const)
  test(title, (t) => t.is(reasonOf({ ...run, ...given }), expected))

test('a replay says so beside what started the run it repeats', (t) => {
  t.is(startedBy({ trigger: 'webhook', replayOf: null }), 'Webhook')
  t.is(startedBy({ trigger: 'webhook', replayOf: 'run_1' }), 'Webhook, replay')
})

test('the time in the queue is no work, and a run at work has worked until now', (t) => {
  const startedAt = '2026-11-26T09:00:00.000Z'
  t.is(workedMs({ startedAt: null, endedAt: null }, 0), undefined)
  t.is(workedMs({ startedAt, endedAt: '2026-11-26T09:00:05.000Z' }, Date.parse('2026-11-26T10:00:00Z')), 5000)
  t.is(workedMs({ startedAt, endedAt: null }, Date.parse(startedAt) + 700), 700)
})
