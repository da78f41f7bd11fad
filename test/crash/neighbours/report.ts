import { median, percentile } from '../../../bench/shared/statistics.ts'
import type { Turn } from '../rolling/health-checks.ts'
import type { Delivered, EndedRun } from './record.ts'
import type { Seen } from './seen.ts'

/** A time in which users lived with the same fault. Times are of this machine's clock, in milliseconds. */
export interface Phase {
  name: string
  began: number
  seconds: number
  seen: Seen
  runs: EndedRun[]
  /** Whether requests may fail until a health check takes a process out of the balancer. */
  takesOut: boolean
}

/** What users waited for in a phase. */
const timesOf = ({ seen, runs }: Phase) => ({
  'delivery to the end of its run': runs.map(({ sentAt, endedAt }) => endedAt - sentAt),
  'delivery to the end of a watched stream': seen.waits['watched run'],
  'answer of the API': seen.waits.answer,
  "a chat's first word": seen.waits['first word'],
})

const ratio = (value: number, calm: number): string => (value / calm).toFixed(1)

/** Median, 95th percentile and maximum of each wait in whole milliseconds, and how many times as long as in `calm`. */
export function linesOf(phase: Phase, calm: Phase): string[] {
  const usual = timesOf(calm)
  const figuresOf = (times: number[]) => [median(times), percentile(times, 0.95), Math.max(...times)]
  const lines = Object.entries(timesOf(phase)).map(([what, times]) => {
    const figures = figuresOf(times)
    const before = figuresOf(usual[what as keyof typeof usual])
    const ratios = figures.map((value, index) => ratio(value, before[index] ?? Number.NaN))
    return `${phase.name} | ${what} | ${figures.map(Math.round).join(' | ')} | ${ratios.join(' / ')}`
  })
  const { answer } = phase.seen.waits
  const failed = phase.seen.failures.length
  const rates = `${rateOf(phase).toFixed(1)} | ${ratio(rateOf(phase), rateOf(calm))}`
  return [...lines, `${phase.name} | runs a second | ${rates} | ${answer.length + failed} requests, ${failed} failed`]
}

/** Runs that ended while the users lived, a second. */
const rateOf = ({ runs, began, seconds }: Phase): number =>
  runs.filter(({ endedAt }) => endedAt < began + seconds * 1000).length / seconds

/** The failures that a health check could spare: all that were not sent before it had taken a process out. */
export function avoidable(phases: Phase[], turns: Turn[]): string[] {
  return phases.flatMap(({ name, seen, began, takesOut }) => {
    const outAt = turns.find(({ at, isReady }) => !isReady && at > began)?.at ?? began
    return seen.failures
      .filter(({ sentAt }) => !takesOut || sentAt > outAt)
      .map(({ what, sentAt }) => `${name}, after ${sentAt - began} ms: ${what}`)
  })
}

export function deliveredIn(phases: Phase[]): Delivered {
  const all: Delivered = new Map()
  for (const { seen } of phases) for (const [id, runs] of seen.delivered) all.set(id, [...(all.get(id) ?? []), ...runs])
  return all
}
