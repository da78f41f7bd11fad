import test from 'ava'
import { approvalsNow, creditsMeter, creditsNow, runsNow, runsToday } from '../../console/screens/home/figures.ts'

const runs = { running: 0, waiting: 0, queued: 0, completedToday: 0, failedToday: 0 }
const credits = { today: 0, usualPerDay: null, thisMonth: 0, monthlyCap: null }
const now = Date.parse('2026-11-27T09:00:00.000Z')

const sentences = [
  [runsNow(runs), '0 running / nothing queued'],
  [runsNow({ ...runs, running: 3, waiting: 2, queued: 1400 }), '3 running / 2 waiting, 1,400 queued'],
  [runsNow({ ...runs, waiting: 1 }), '0 running / 1 waiting, nothing queued'],
  [runsToday(runs), '0 completed / none failed'],
  [runsToday({ ...runs, completedToday: 10_000, failedToday: 4 }), '10,000+ completed / 4 failed'],
  [approvalsNow({ pending: 0, oldestRequestedAt: null }, now), 'None waiting / nothing to decide'],
  [approvalsNow({ pending: 1, oldestRequestedAt: '2026-11-27T08:20:00.000Z' }, now), '1 waiting / for 40 min'],
  [
    approvalsNow({ pending: 1000, oldestRequestedAt: '2026-11-26T08:20:00.000Z' }, now),
    '1,000+ waiting / oldest for 1 d',
  ],
  [creditsNow(credits), '0 today / 0 this month'],
  [
    creditsNow({ today: 340, usualPerDay: 300, thisMonth: 4120, monthlyCap: 10_000 }),
    '340 today / usually 300 a day, 4,120 of 10,000 this month',
  ],
] as const

for (const [{ value, beside }, expected] of sentences)
  test(`a figure reads "${expected}"`, (t) => t.is(`${value} / ${beside}`, expected))

const meters = [
  ['nothing to compare with', {}, null],
  ['a usual day without use', { usualPerDay: 0 }, null],
  [
    'a part of the cap',
    { thisMonth: 2500, monthlyCap: 10_000 },
    { share: 0.25, usual: null, tone: 'calm', words: '7,500 credits left this month' },
  ],
  [
    'nearly the whole cap',
    { thisMonth: 99, monthlyCap: 100 },
    { share: 0.99, usual: null, tone: 'warn', words: '1 credit left this month' },
  ],
  [
    'more than the cap',
    { thisMonth: 120, monthlyCap: 100 },
    { share: 1, usual: null, tone: 'bad', words: 'The cap is reached' },
  ],
  ['a cap of nothing', { monthlyCap: 0 }, { share: 1, usual: null, tone: 'bad', words: 'The cap is reached' }],
  [
    'the cap also where a day is usual',
    { today: 900, usualPerDay: 10, thisMonth: 50, monthlyCap: 100 },
    { share: 0.5, usual: null, tone: 'calm', words: '50 credits left this month' },
  ],
  [
    'half of a usual day',
    { today: 50, usualPerDay: 100 },
    { share: 0.25, usual: 0.5, tone: 'calm', words: 'The mark is a usual day' },
  ],
  [
    'four usual days',
    { today: 400, usualPerDay: 100 },
    { share: 1, usual: 0.25, tone: 'warn', words: '4 times a usual day' },
  ],
] as const

for (const [what, parts, expected] of meters)
  test(`the meter of credits shows ${what}`, (t) => t.deepEqual(creditsMeter({ ...credits, ...parts }), expected))
