import type { Cron } from './cron.ts'
import { offsetsOf } from './offsets.ts'
import { utcDates, type Dates } from './utc-dates.ts'

/**
 * Calendars are in UTC because the server (1.31), given a zone, drops and invents fires around clock changes. From
 * Greenwich eastwards it drops two hours of fires in autumn and fires others an hour late. Where clocks change at
 * midnight, it mistakes Sunday for Saturday. Its answer also depends on where the search starts. In UTC it is exact. A
 * test compares both, and fails once the server is right.
 */

interface Range<Unit> {
  start: Unit
  end: Unit
  step: number
}

/** A calendar in the Temporal client's format (CalendarSpec, which only `src/temporal/` may import). */
export interface Calendar {
  second: 0
  minute: Range<number>[]
  hour: Range<number>[]
  dayOfMonth: Range<number>[]
  month: Range<(typeof months)[number]>[]
  dayOfWeek: Range<(typeof weekdays)[number]>[]
  comment: string
}

const months = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const
const weekdays = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const

/** Temporal rejects longer comments. */
const maxCommentLength = 200

/**
 * The calendars of a Temporal schedule for the expression, for `timezone: 'UTC'`. They cover every fire under each
 * offset of the zone, so they match more times than there are fires. A tick must check whether its nominal time is a
 * fire. Without clock changes, extra ticks occur only at the ends of months, because the UTC day before the first
 * differs from month to month.
 */
export function toCalendars(cron: Cron, timeZone: string): Calendar[] {
  const comment = `${cron.text} ${timeZone}`.slice(0, maxCommentLength)
  return utcTimes(cron, offsetsOf(timeZone)).flatMap(({ shift, minute, hours }) =>
    utcDates(cron, shift).map((dates) => toCalendar({ minute, hour: ascending(hours) }, dates, comment)),
  )
}

interface Times {
  /** Days by which the UTC date is ahead of the local one. */
  shift: number
  minute: number[]
  hours: Set<number>
}

/** The times of day in UTC, grouped by minutes and date shift. */
function utcTimes(cron: Cron, offsets: number[]): Times[] {
  const groups = new Map<string, Times>()
  const everyDay = cron.dayOfMonth.length === 31 && cron.month.length === 12 && cron.dayOfWeek.length === 7
  for (const offset of offsets) {
    for (const [borrowed, minute] of shiftedMinutes(cron.minute, offset)) {
      for (const local of cron.hour) {
        const hour = local + borrowed
        const shift = everyDay ? 0 : Math.floor(hour / 24)
        const key = `${shift} ${minute.join()}`
        const group = groups.get(key) ?? { shift, minute, hours: new Set() }
        groups.set(key, group)
        group.hours.add((hour + 48) % 24)
      }
    }
  }
  return [...groups.values()]
}

/** The minutes minus an offset, keyed by the hours carried. */
function shiftedMinutes(minutes: number[], offset: number): Map<number, number[]> {
  const byHours = new Map<number, number[]>()
  for (const local of minutes) {
    const minute = local - offset
    const hours = Math.floor(minute / 60)
    byHours.set(hours, [...(byHours.get(hours) ?? []), minute - hours * 60])
  }
  return byHours
}

function toCalendar(time: { minute: number[]; hour: number[] }, dates: Dates, comment: string): Calendar {
  return {
    second: 0,
    minute: rangesOf(time.minute, (value) => value),
    hour: rangesOf(time.hour, (value) => value),
    dayOfMonth: rangesOf(dates.dayOfMonth, (value) => value),
    month: rangesOf(dates.month, (value) => months[value - 1] ?? 'JANUARY'),
    dayOfWeek: rangesOf(dates.dayOfWeek, (value) => weekdays[value] ?? 'SUNDAY'),
    comment,
  }
}

/** Merges consecutive numbers into ranges, so that the schedule is readable in Temporal's UI. */
function rangesOf<Unit>(values: number[], nameOf: (value: number) => Unit): Range<Unit>[] {
  const runs: [number, number][] = []
  for (const value of values) {
    const last = runs.at(-1)
    if (last?.[1] === value - 1) last[1] = value
    else runs.push([value, value])
  }
  return runs.map(([start, end]) => ({ start: nameOf(start), end: nameOf(end), step: 1 }))
}

const ascending = (values: Iterable<number>): number[] => [...values].toSorted((a, b) => a - b)
