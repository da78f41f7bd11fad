import { parseCron } from '../../../../src/schedules/cron/cron.ts'
import { isCoded } from '../../../../src/errors.ts'

/** A way to read clocks that shares nothing with the product's: by parts, hour by hour. */

const formatters = new Map<string, Intl.DateTimeFormat>()
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']

/** What the wall clock of a zone shows; the weekday of Sunday is 0. */
function wallOf(timeZone: string, at: number) {
  const made =
    formatters.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    })
  formatters.set(timeZone, made)
  const parts = Object.fromEntries(made.formatToParts(at).map(({ type, value }) => [type, value]))
  return {
    minute: Number(parts['minute']),
    hour: Number(parts['hour']) % 24,
    day: Number(parts['day']),
    month: Number(parts['month']),
    year: Number(parts['year']),
    weekday: weekdays.indexOf(parts['weekday'] ?? ''),
  }
}

const halfHour = 1_800_000
const offsets = new Map<string, number>()

/** How far a zone's clocks are ahead of UTC, in milliseconds. They change at whole hours and halves of UTC only. */
function offsetOf(timeZone: string, at: number): number {
  const began = Math.floor(at / halfHour) * halfHour
  const key = `${timeZone} ${began}`
  const known = offsets.get(key)
  if (known !== undefined) return known
  const { year, month, day, hour, minute } = wallOf(timeZone, began)
  const offset = Date.UTC(year, month - 1, day, hour, minute) - began
  offsets.set(key, offset)
  return offset
}

/** What the wall clock shows, as the milliseconds that it would be in UTC. */
export const wallMs = (timeZone: string, at: number): number => at + offsetOf(timeZone, at)

/** When a zone's clocks change (whole hours or halves), and by how much they are put on, in milliseconds. */
export function changesOf(timeZone: string, from: number, to: number): { at: number; by: number }[] {
  const found: { at: number; by: number }[] = []
  const dayMs = 86_400_000
  for (let day = from; day < to; day += dayMs) {
    if (offsetOf(timeZone, day) === offsetOf(timeZone, day + dayMs)) continue
    for (let at = day + halfHour; at <= day + dayMs; at += halfHour) {
      const by = offsetOf(timeZone, at) - offsetOf(timeZone, at - halfHour)
      if (by !== 0) found.push({ at, by })
    }
  }
  return found
}

/** Whether the expression has dates that come; random ones need not. Any other refusal is a failure of the test. */
export function comes(text: string): boolean {
  try {
    parseCron(text)
    return true
  } catch (error) {
    if (isCoded(error, 'VALIDATION_ERROR') && error.message.startsWith('The date never occurs')) return false
    throw error
  }
}
