import { median, percentile } from '../../../bench/shared/statistics.ts'
import type { Turn } from '../rolling/health-checks.ts'
import type { Accepted, RecordedRun } from '../rolling/record.ts'
import type { Seen } from './seen.ts'

/** An API process that loses its database during a phase, and what the balancer's health checks made of it. */
export interface Faulty {
  url: string
  turns: Turn[]
}

/** A time in which users lived with the same fault. Times are of this machine's clock, in milliseconds. */
export interface Phase {
  name: string
  began: number
  /** When the fault began. */
  faultAt: number
  seconds: number
  seen: Seen
  /** The runs of what was delivered, and how long after the delivery they ended. */
  runs: { endedAt: number; tookMs: number }[]
  /** Set if requests may fail until a health check has taken this process out of the balancer. */
  faulty: Faulty | undefined
}

/** When each delivery's run ended. Throws if the record does not have the run. */
export function runsOf({ delivered }: Seen, recorded: RecordedRun[]): Phase['runs'] {
  const endedAt = new Map(recorded.map(({ id, ended }) => [id, Number(ended)]))
  return [...delivered.values()].flat().map(({ runId, sentAt }) => {
    const at = endedAt.get(runId)
    if (at === undefined) throw new Error(`The record does not have the run ${runId}.`)
    return { endedAt: at, tookMs: at - sentAt }
  })
}

export const medianOf = ({ runs }: Phase): number => median(runs.map(({ tookMs }) => tookMs))

/** How long after the beginning of the fault the process was taken out of the balancer; undefined if it was not. */
export function outAfterMs({ faulty, faultAt }: Phase): number | undefined {
  const out = faulty?.turns.find(({ url, at, isReady }) => url === faulty.url && !isReady && at >= faultAt)
  return out && out.at - faultAt
}

const columns = [
  'fault',
  'delivery to the end of its run',
  'beside calm',
  'watched run',
  'answer of the API',
  "chat's first word",
  'runs a second',
  'failed requests',
  'taken out',
]

/**
 * The table of docs/contribute/tests.md: a row for each phase, the calm one first. Times are median, 95th percentile and
 * maximum in whole milliseconds.
 */
export function tableOf(phases: [calm: Phase, ...faults: Phase[]]): string[] {
  const [calm] = phases
  const rows = phases.map((phase) => rowOf(phase, calm))
  return [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}

function rowOf(phase: Phase, calm: Phase): string[] {
  const { answer, 'first word': firstWord, 'watched run': watched } = phase.seen.waits
  const [took, usual] = [phase, calm].map(({ runs }) => figuresOf(runs.map(({ tookMs }) => tookMs)))
  const ratios = took!.map((value, index) => (value / usual![index]!).toFixed(1))
  const outAfter = outAfterMs(phase)
  const failed = phase.seen.failures.length
  return [
    phase.name,
    shown(took!),
    ratios.join(' / '),
    ...[watched, answer, firstWord].map((times) => shown(figuresOf(times))),
    rateOf(phase).toFixed(1),
    `${failed} of ${(answer.length + failed).toLocaleString('en')}`,
    outAfter === undefined ? '' : `after ${(outAfter / 1000).toFixed(1)} s`,
  ]
}

const figuresOf = (times: number[]): number[] => [median(times), percentile(times, 0.95), Math.max(...times)]

const shown = (figures: number[]): string =>
  figures.map((figure) => Math.round(figure).toLocaleString('en')).join(' / ')

/** Runs that ended while the users lived, a second. */
const rateOf = ({ runs, began, seconds }: Phase): number =>
  runs.filter(({ endedAt }) => endedAt < began + seconds * 1000).length / seconds

/** The failures that a health check could spare: all that were not sent before it had taken the process out. */
export function avoidable(phases: Phase[]): string[] {
  return phases.flatMap((phase) => {
    const { name, seen, began, faultAt } = phase
    const outAt = faultAt + (outAfterMs(phase) ?? Number.NEGATIVE_INFINITY)
    return seen.failures
      .filter(({ sentAt }) => sentAt > outAt)
      .map(({ what, sentAt }) => `${name}, after ${sentAt - began} ms: ${what}`)
  })
}

export function acceptedIn(phases: Phase[]): Accepted {
  const all: Accepted = new Map()
  for (const { seen } of phases)
    for (const [id, runs] of seen.delivered) all.set(id, [...(all.get(id) ?? []), ...runs.map(({ runId }) => runId)])
  return all
}
