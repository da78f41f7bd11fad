import test from 'ava'
import { isSilent, missedHours, silentNeeds, type Deliveries } from '../../../src/needs/silence.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const week = 7 * day
/** A Monday. */
const start = Date.parse('2026-11-02T00:00:00Z')
const weeksLater = (weeks: number, days: number, time: string) =>
  new Date(start + weeks * week + days * day + Date.parse(`1970-01-01T${time}Z`))

/** What the rule reads at a time, from all deliveries. */
function at(now: Date, deliveries: readonly number[]): Deliveries {
  const past = deliveries.filter((one) => one <= now.getTime())
  const last = Math.max(...past)
  const before = (weeks: number) => {
    const [from, until] = [last, Math.min(now.getTime(), last + week)].map((one) => one - weeks * week) as [
      number,
      number,
    ]
    return past.filter((one) => one >= from && one < until).map((one) => new Date(one))
  }
  return { now, lastAt: new Date(last), oneWeekBefore: before(1), twoWeeksBefore: before(2) }
}

/** Deliveries at a regular interval for four weeks, where the filter allows them. */
const every = (interval: number, allows: (at: Date) => boolean = () => true, until = start + 4 * week): number[] =>
  Array.from({ length: Math.floor((until - start) / interval) }, (_, index) => start + index * interval).filter((one) =>
    allows(new Date(one)),
  )

const isOfficeTime = (date: Date) => date.getUTCDay() % 6 !== 0 && date.getUTCHours() >= 9 && date.getUTCHours() < 17
const office = every(20 * minute, isOfficeTime)
const always = every(minute)
const daily = every(day, () => true).map((one) => one + 9.5 * hour)
/** Thirty deliveries within ten minutes, at 8:00 and at 20:00. */
const bursts = every(20_000, (date) => date.getUTCHours() % 12 === 8 && date.getUTCMinutes() < 10)
const upTo = (end: Date, deliveries: number[]) => deliveries.filter((one) => one <= end.getTime())

const wednesday = (time: string) => weeksLater(3, 2, time)

for (const { title, now, deliveries, silent } of [
  { title: 'in the night', now: weeksLater(3, 2, '23:00:00'), deliveries: office, silent: false },
  { title: 'early in the morning', now: weeksLater(3, 3, '08:59:00'), deliveries: office, silent: false },
  { title: 'on Saturday', now: weeksLater(3, 5, '15:00:00'), deliveries: office, silent: false },
  { title: 'on Sunday night', now: weeksLater(3, 6, '23:59:00'), deliveries: office, silent: false },
  {
    title: 'before five hours of Monday have passed',
    now: weeksLater(3, 0, '13:59:00'),
    deliveries: upTo(weeksLater(2, 6, '00:00:00'), office),
    silent: false,
  },
  {
    title: 'after five hours of Monday',
    now: weeksLater(3, 0, '14:00:00'),
    deliveries: upTo(weeksLater(2, 6, '00:00:00'), office),
    silent: true,
  },
  {
    title: 'four whole hours after the last delivery',
    now: wednesday('15:59:00'),
    deliveries: upTo(wednesday('10:25:00'), office),
    silent: false,
  },
  {
    title: 'five whole hours after the last delivery',
    now: wednesday('16:00:00'),
    deliveries: upTo(wednesday('10:25:00'), office),
    silent: true,
  },
  {
    title: 'in the night after an afternoon without deliveries',
    now: wednesday('23:00:00'),
    deliveries: upTo(wednesday('10:25:00'), office),
    silent: true,
  },
  {
    title: 'if deliveries stop two hours before the end of a day',
    now: wednesday('23:00:00'),
    deliveries: upTo(wednesday('14:45:00'), office),
    silent: false,
  },
  {
    title: 'five hours after the last of many deliveries',
    now: wednesday('08:00:00'),
    deliveries: upTo(wednesday('03:00:00'), always),
    silent: true,
  },
  {
    title: 'two days after the last daily delivery',
    now: wednesday('10:00:00'),
    deliveries: upTo(weeksLater(3, 0, '12:00:00'), daily),
    silent: false,
  },
  {
    title: 'three days after the last daily delivery',
    now: weeksLater(3, 3, '10:00:00'),
    deliveries: upTo(weeksLater(3, 0, '12:00:00'), daily),
    silent: true,
  },
  { title: 'between bursts', now: wednesday('19:59:00'), deliveries: bursts, silent: false },
  {
    title: 'after one missing burst',
    now: wednesday('21:00:00'),
    deliveries: upTo(wednesday('09:00:00'), bursts),
    silent: false,
  },
  {
    title: 'after bursts were missing on three days',
    now: weeksLater(3, 4, '09:00:00'),
    deliveries: upTo(wednesday('09:00:00'), bursts),
    silent: true,
  },
  {
    title: 'in the first two weeks of an agent',
    now: weeksLater(1, 6, '12:00:00'),
    deliveries: upTo(weeksLater(1, 5, '12:00:00'), always),
    silent: false,
  },
  {
    title: 'two weeks after the last delivery',
    now: new Date(weeksLater(2, 2, '10:00:00').getTime() + 14 * day),
    deliveries: upTo(weeksLater(2, 2, '10:00:00'), always),
    silent: true,
  },
  {
    title: 'more than two weeks after the last delivery',
    now: new Date(weeksLater(2, 2, '10:00:00').getTime() + 14 * day + 1),
    deliveries: upTo(weeksLater(2, 2, '10:00:00'), always),
    silent: false,
  },
]) {
  test(`an agent is ${silent ? '' : 'not '}silent ${title}`, (t) => {
    t.is(isSilent(at(now, deliveries)), silent)
  })
}

/** A generator of Park and Miller, for the same numbers in every run. */
function randomNumbers(seed: number) {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

for (const perHour of [0.2, 1, 2]) {
  test(`${perHour} deliveries an hour at random times almost never look silent`, (t) => {
    const random = randomNumbers(20_261_102)
    const end = start + 13 * week
    const deliveries: number[] = []
    for (let now = start; now < end; now += (-Math.log(random()) / perHour) * hour) deliveries.push(now)
    const hours = Array.from({ length: 10 * 7 * 24 }, (_, index) => new Date(start + 3 * week + index * hour))
    const silences = new Set(
      hours.map((now) => at(now, deliveries)).flatMap((one) => (isSilent(one) ? [one.lastAt.getTime()] : [])),
    )
    t.true(silences.size <= 1, `${silences.size} in 10 weeks`)
  })
}

test('a silent agent names its last delivery and how many usual hours have passed', (t) => {
  const quiet = at(wednesday('16:30:00'), upTo(wednesday('10:25:00'), office))
  t.is(missedHours(quiet).length, 5)
  const [need, ...others] = silentNeeds({ id: 'a1', name: 'Sorter' }, quiet)
  t.deepEqual(others, [])
  t.like(need, {
    kind: 'silent',
    since: wednesday('10:20:00'),
    until: null,
    agentId: 'a1',
    agentName: 'Sorter',
    count: 5,
  })
  t.is(
    need?.message,
    '“Sorter” has received no delivery since 2026-11-25T10:20:00Z. In both previous weeks, deliveries arrived at this time.',
  )
  t.regex(need?.action ?? '', /POST \/api\/webhooks\/agent\/a1 \(this starts a run/)
  t.deepEqual(silentNeeds({ id: 'a1', name: 'Sorter' }, at(wednesday('12:00:00'), office)), [])
})
