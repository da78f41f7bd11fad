import test from 'ava'
import { barsOf } from '../../console/screens/runs/timeline/bars.ts'
import { at, eventsOf } from './events.ts'

const call = { callId: 'c1', step: 1, tool: 'search_issues', site: 'https://tracker.example' }

test('a run is a row for its queue, its steps and its calls, and a moment for its end', (t) => {
  const bars = barsOf(
    eventsOf(
      ['accepted', 0, { trigger: 'webhook', sequence: 1, ahead: 2 }],
      ['started', 4],
      ['step.started', 5, { step: 1, attempt: 1 }],
      ['step.finished', 7, { step: 1, attempt: 1, text: 'I search.' }],
      ['tool.started', 7, { ...call, attempt: 1 }],
      ['tool.finished', 8, { ...call, attempts: 1, status: 'succeeded' }],
      ['ended', 9, { status: 'completed', reason: null, message: null }],
    ),
  )
  t.deepEqual(
    bars.map(({ kind, title, from, to, tone, depth }) => ({ kind, title, from, to, tone, depth })),
    [
      { kind: 'queue', title: 'In the queue', from: at(0), to: at(4), tone: 'calm', depth: 0 },
      { kind: 'step', title: 'Step 1', from: at(5), to: at(7), tone: 'good', depth: 0 },
      { kind: 'tool', title: 'search_issues', from: at(7), to: at(8), tone: 'good', depth: 1 },
      { kind: 'moment', title: 'Run completed', from: at(9), to: at(9), tone: 'good', depth: 0 },
    ],
  )
  t.is(bars[0]?.detail, '2 runs were ahead.')
  t.is(bars[1]?.detail, 'I search.')
})

test('attempts of a call are parts of one row, with what failed', (t) => {
  const [bar, ...others] = barsOf(
    eventsOf(
      ['tool.started', 0, { ...call, attempt: 1 }],
      ['tool.failed', 2, { ...call, attempt: 1, message: 'The site answered 503.', willRetry: true }],
      ['tool.started', 5, { ...call, attempt: 2 }],
      ['tool.finished', 6, { ...call, attempts: 2, status: 'unknown' }],
    ),
  )
  t.deepEqual(others, [])
  t.like(bar, { from: at(0), to: at(6), tone: 'warn', outcome: 'unknown', events: [1, 2, 3, 4] })
  t.deepEqual(bar?.attempts, [
    { from: at(0), to: at(2), isFailed: true, message: 'The site answered 503.' },
    { from: at(5), to: at(6), isFailed: false, message: null },
  ])
})

test('an attempt whose process died is ended by the next one', (t) => {
  const [step] = barsOf(
    eventsOf(['step.started', 0, { step: 1, attempt: 1 }], ['step.started', 30, { step: 1, attempt: 2 }]),
  )
  t.is(step?.to, null)
  t.deepEqual(
    step?.attempts.map(({ from, to }) => [from, to]),
    [
      [at(0), at(30)],
      [at(30), null],
    ],
  )
})

test('waits are rows that name their cause, and one for an approval is the row of the approval', (t) => {
  const bars = barsOf(
    eventsOf(
      ['wait.started', 0, { cause: 'rate_limit', site: 'https://shop.example', until: '', calls: 1, note: '' }],
      ['wait.ended', 34, { cause: 'rate_limit', ms: 34_000 }],
      ['approval.requested', 35, { ...call, approvalId: 'a1', expiresAt: '' }],
      ['wait.started', 35, { cause: 'approval', site: null, until: '', calls: 1, note: '' }],
    ),
  )
  t.deepEqual(
    bars.map(({ kind, title, to, approvalId }) => ({ kind, title, to, approvalId })),
    [
      { kind: 'wait', title: 'Rate limit: https://shop.example', to: at(34), approvalId: null },
      { kind: 'approval', title: 'Approval of search_issues', to: null, approvalId: 'a1' },
    ],
  )
})

test('a call that was never sent has a row, and the end of the run ends what is open', (t) => {
  const bars = barsOf(
    eventsOf(
      ['tool.finished', 1, { ...call, attempts: 0, status: 'failed', note: 'refused' }],
      ['step.started', 2, { step: 2, attempt: 1 }],
      ['ended', 3, { status: 'cancelled', reason: null, message: null }],
    ),
  )
  t.like(bars[0], { kind: 'tool', from: at(1), to: at(1), tone: 'bad', outcome: 'failed' })
  t.like(bars[1], { kind: 'step', to: at(3), outcome: 'not finished' })
  t.like(bars[2], { title: 'Run cancelled', tone: 'calm' })
})

test('an event of a kind that this console does not know is left out', (t) => {
  t.deepEqual(barsOf([{ number: 1, kind: 'dreamt' as never, at: new Date().toISOString(), data: {} }]), [])
})
