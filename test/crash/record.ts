import type { ExecutionContext } from 'ava'
import type { LoggedRequest } from '../../examples/sites/request-log.ts'
import { eventually } from '../helpers/eventually.ts'
import { timelineOf, type Person } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'

/** What the tests of this folder look for in timelines and in the logs of sites. */

export type Timeline = Awaited<ReturnType<typeof timelineOf>>
export type Event = Timeline[number]

/** Waits until the timeline of the run has such an event. */
export const untilEvent = (
  someone: Person,
  runId: string,
  kind: string,
  fits: (event: Event) => boolean = () => true,
) =>
  eventually(30, `the run has an event ${kind}`, async () =>
    (await timelineOf(someone, runId)).find((event) => event.kind === kind && fits(event)),
  )

/** The timeline in short, `kind step attempt`, for comparing whole courses of events. */
export const courseOf = (timeline: Timeline): string[] =>
  timeline.map(({ kind, data }) => {
    const { step, attempt } = data as { step?: number; attempt?: number }
    return [kind, kind.startsWith('step.') ? step : undefined, attempt].filter((part) => part !== undefined).join(' ')
  })

/** Waits until the site has been asked for the tool so many times, by whomever. */
export const untilAsked = (requests: () => LoggedRequest[], tool: string, times = 1) =>
  eventually(30, `the site is asked for ${tool}`, () => {
    const found = requests().filter((request) => request.tool === tool)
    return found.length >= times ? found : undefined
  })

/** How often each tool was asked for under each key, and that the keys of one tool are all the same. */
export function askedFor(requests: LoggedRequest[], tool: string) {
  const found = requests.filter((request) => request.tool === tool)
  return { times: found.length, keys: [...new Set(found.map(({ idempotencyKey }) => idempotencyKey))] }
}

/** A timeline's numbers count from one without gaps. */
export const isGapless = (numbers: number[]): boolean => numbers.every((number, index) => number === index + 1)

/** Says what was measured, for those who run one test verbosely. */
export function measured(t: ExecutionContext, text: string): void {
  t.log(text)
}

/** A line of a process's log that tells of a repair. */
interface LoggedRepair {
  repair: string
  cause: string
  agentId?: string
  runId?: string
}

/** What a process has logged of its repairs. */
export const repairsIn = (logs: string[]): LoggedRepair[] =>
  logs.filter((line) => line.includes('"repair":')).map((line) => JSON.parse(line) as LoggedRepair)

/** Those of one agent or run, in order. */
export const repairsOf = (logs: string[], id: string): string[] =>
  repairsIn(logs).flatMap(({ repair, agentId, runId }) => ([agentId, runId].includes(id) ? [repair] : []))

/** Under which number of executions the run is carried out now, or was in the end. */
export const epochOf = async ({ services }: Platform, runId: string): Promise<number | undefined> =>
  (await services.database('runs').where({ id: runId }).first('epoch'))?.epoch
