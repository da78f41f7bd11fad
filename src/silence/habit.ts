import { earliest, later, latest } from '../clock.ts'

/** Deliveries that a process accepted for an agent within a few seconds. */
export interface Arrived {
  firstAt: Date
  lastAt: Date
  count: number
  /** The highest sequence of their runs. */
  sequence: number
}

/** When an agent's deliveries usually arrive (table `delivery_habits`). */
export interface Habit {
  agentId: string
  firstAt: Date
  lastAt: Date
  /** Since `firstAt`. */
  deliveries: number
  /** The sequence of its latest run that is known here, also of a test. */
  seenSequence: number
  /** The longest gap that ended on each of the last days: days since 1970 and seconds. */
  gaps: [day: number, seconds: number][]
  /** How long it may be quiet, in seconds; null until deliveries are usual. */
  quietSeconds: number | null
  /** When to judge it next; null until deliveries are usual. */
  dueAt: Date | null
  /** The time of the last delivery before the silence; null while it is not silent. */
  silentSince: Date | null
}

/** Deliveries are usual from this many on, over this many days, which include a weekend. */
const usual = { deliveries: 20, days: 8 }

/** Gaps of the last four weeks count. An agent without a delivery for longer starts anew. */
export const windowDays = 28

/** The shortest silence, in seconds, and how many times the longest gap must have passed. */
const shortestSeconds = 900
const timesLongestGap = 2

const daySeconds = 86_400
const dayOf = (at: Date): number => Math.floor(at.getTime() / 1000 / daySeconds)
const secondsBetween = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 1000

/** The longest gap of the last four weeks, in seconds. */
export const longestGap = ({ gaps }: Pick<Habit, 'gaps'>): number => Math.max(0, ...gaps.map(([, seconds]) => seconds))

/** The habit after further deliveries. They end a silence. Repeats, whose sequence is known, change nothing. */
export function learn(habit: Habit | undefined, agentId: string, arrived: Arrived): Habit {
  if (!habit || secondsBetween(habit.lastAt, arrived.firstAt) > windowDays * daySeconds) return begun(agentId, arrived)
  if (arrived.sequence <= habit.seenSequence) return habit
  const lastAt = latest(habit.lastAt, arrived.lastAt)
  const deliveries = habit.deliveries + arrived.count
  const gaps = withGap(habit, arrived)
  const quietSeconds = quietOf({ firstAt: habit.firstAt, lastAt, deliveries, gaps })
  const dueAt = quietSeconds === null ? null : earliest(later(lastAt, quietSeconds), habit.dueAt)
  const { firstAt } = habit
  return {
    agentId,
    firstAt,
    lastAt,
    deliveries,
    gaps,
    quietSeconds,
    dueAt,
    seenSequence: arrived.sequence,
    silentSince: null,
  }
}

const begun = (agentId: string, { firstAt, lastAt, count, sequence }: Arrived): Habit => ({
  agentId,
  firstAt,
  lastAt,
  deliveries: count,
  seenSequence: sequence,
  gaps: [],
  quietSeconds: null,
  dueAt: null,
  silentSince: null,
})

/** Processes report in any order, so deliveries may be older than the last known one. */
function withGap({ gaps, lastAt }: Habit, { firstAt }: Arrived): Habit['gaps'] {
  const day = dayOf(firstAt)
  const gap = Math.max(0, Math.round(secondsBetween(lastAt, firstAt)))
  const known = gaps.find(([one]) => one === day)?.[1] ?? 0
  const others = gaps.filter(([one]) => one !== day && one > day - windowDays)
  return [...others, [day, Math.max(known, gap)]]
}

function quietOf(habit: Pick<Habit, 'firstAt' | 'lastAt' | 'deliveries' | 'gaps'>): number | null {
  const days = secondsBetween(habit.firstAt, habit.lastAt) / daySeconds
  if (habit.deliveries < usual.deliveries || days < usual.days) return null
  return Math.max(shortestSeconds, timesLongestGap * longestGap(habit))
}
