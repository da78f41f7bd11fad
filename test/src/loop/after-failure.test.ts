import test from 'ava'
import { mayPass, planAfter, type Plan } from '../../../src/loop/after-failure.ts'

/* What follows a failed model call: of a run, or of an answer in a chat, which has no rounds. */

const now = new Date('2026-01-01T00:00:00Z')
const at = (seconds: number): Date => new Date(now.getTime() + seconds * 1000)

type Failure = Parameters<typeof planAfter>[0]
type Chances = Partial<Parameters<typeof planAfter>[1]>

const passing: Failure = { retryable: true, retryAfter: undefined }
const refused: Failure = { retryable: false, retryAfter: undefined }
const busy: Failure = { retryable: true, retryAfter: 90, isOverQuota: true }
const wait = (seconds: number): Plan => ({ kind: 'wait', retryAt: at(seconds) })
const other = (isOut: boolean): Plan => ({ kind: 'other', model: 'fallback', isOut })

const rows: [title: string, failure: Failure, chances: Chances, plan: Plan][] = [
  ['an attempt is left', passing, { isOut: undefined, other: 'fallback' }, { kind: 'retry', retryAt: null }],
  ['an attempt is left, later', busy, { isOut: undefined }, { kind: 'retry', retryAt: at(90) }],
  ['a summary fails', passing, { isSummary: true, other: 'fallback' }, { kind: 'cut' }],
  ['a summary fails as everything does', passing, { isSummary: true, isOut: true, other: 'fallback' }, other(true)],
  ['the fallback is there', refused, { other: 'fallback' }, other(false)],
  ['the fallback is there for an answer', refused, { other: 'fallback', rounds: null }, other(false)],
  ['the model is out', passing, { isOut: true }, { kind: 'wait', retryAt: null }],
  ['the model is out for an answer', passing, { isOut: true, rounds: null }, { kind: 'end' }],
  ['an answer fails', passing, { rounds: null }, { kind: 'end' }],
  ['the prompt is refused', refused, {}, { kind: 'end' }],
  ['the first round is over', passing, {}, wait(15)],
  ['the second round is over', passing, { rounds: 1 }, wait(60)],
  ['the last round is over', passing, { rounds: 2 }, { kind: 'end' }],
  ['the provider limits the platform', busy, { rounds: 0 }, wait(90)],
  ['the provider limits it round after round', busy, { rounds: 9 }, wait(300)],
]

for (const [title, failure, chances, plan] of rows) {
  test(`if ${title}, this follows: ${plan.kind}`, (t) => {
    const usual = { isOut: false, isSummary: false, other: undefined, rounds: 0, now }
    t.deepEqual(planAfter(failure, { ...usual, ...chances }), plan)
  })
}

const attempts: [title: string, failure: Failure, attempt: { counted: number; ms: number }, mayPass: boolean][] = [
  ['a passing failure', passing, { counted: 3, ms: 1000 }, true],
  ['one of the last attempt', passing, { counted: 4, ms: 1000 }, false],
  ['one that took a minute', passing, { counted: 1, ms: 60_000 }, false],
  ['a lasting failure', refused, { counted: 1, ms: 1000 }, false],
  ['a pause of a minute', { retryable: true, retryAfter: 60 }, { counted: 1, ms: 1000 }, true],
  ['a longer pause', busy, { counted: 1, ms: 1000 }, false],
]

for (const [title, failure, attempt, expected] of attempts) {
  test(`${title} ${expected ? 'leaves' : 'does not leave'} the model another attempt`, (t) => {
    t.is(mayPass(failure, attempt), expected)
  })
}
