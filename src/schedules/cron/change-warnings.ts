import type { Cron } from './cron.ts'
import { matchesWall } from './fire-times.ts'
import { stretches } from './offsets.ts'
import type { ScheduleWarning } from './pattern-warnings.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** A year, plus the span between the earliest and the latest possible Sunday of a change. */
const aheadMs = 400 * 86_400_000

/** A clock change of a zone, as wall times before and after, in milliseconds as if they were UTC. */
interface Change {
  from: number
  to: number
}

/** Warns of the next clock change that skips a fire, and of the next that doubles one. */
export function changeWarnings(cron: Cron, timeZone: string, now: Date): ScheduleWarning[] {
  const changes = changesOf(timeZone, now).map((change) => ({ ...change, times: affectedTimes(cron, change) }))
  const skipping = changes.find(({ from, to, times }) => from < to && times.length > 0)
  const doubling = changes.find(({ from, to, times }) => from > to && times.length > 0)
  return [
    ...(skipping ? [toWarning('skipped_by_clock_change', 'is skipped', skipping, timeZone)] : []),
    ...(doubling ? [toWarning('doubled_by_clock_change', 'happens twice', doubling, timeZone)] : []),
  ]
}

function changesOf(timeZone: string, now: Date): Change[] {
  const start = Math.floor(now.getTime() / minuteMs) * minuteMs
  const pieces = [...stretches(timeZone, start, start + aheadMs)]
  return pieces.flatMap(({ from, offset }, index) => {
    const before = pieces[index - 1]?.offset ?? offset
    return before === offset ? [] : [{ from: from + before, to: from + offset }]
  })
}

/** The fires among the wall times that the change skips or repeats. */
function affectedTimes(cron: Cron, { from, to }: Change): number[] {
  // An expression that fires every hour keeps its interval: a change by whole hours only renames the hours.
  if (cron.hour.length === 24 && (to - from) % hourMs === 0) return []
  const first = Math.min(from, to)
  const minutes = Math.abs(to - from) / minuteMs
  return Array.from({ length: minutes }, (_, index) => first + index * minuteMs).filter((at) => matchesWall(cron, at))
}

type AffectedChange = Change & { times: number[] }

function toWarning(
  code: ScheduleWarning['code'],
  verb: string,
  change: AffectedChange,
  timeZone: string,
): ScheduleWarning {
  const { from, to, times } = change
  const [first, last] = [times[0] ?? from, times.at(-1) ?? from]
  const which = times.length === 1 ? `The run at ${timeOf(first)}` : `Each run from ${timeOf(first)} to ${timeOf(last)}`
  const clocks = `the clocks in ${timeZone} go ${to < from ? 'back' : 'forward'} from ${timeOf(from)} to ${timeOf(to)}`
  return { code, message: `${which} on ${dateOf(first)} ${verb} because ${clocks}.` }
}

const dateOf = (wall: number): string => new Date(wall).toISOString().slice(0, 10)
const timeOf = (wall: number): string => new Date(wall).toISOString().slice(11, 16)
