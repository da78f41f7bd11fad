import type { ExecutionContext } from 'ava'
import * as vault from '../../api/vault.ts'
import type { LoggedRequest } from '../../examples/sites/request-log.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { deliver, ended, timelineOf, webhookAgent, type Person } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'
import { waiting } from '../helpers/runs.ts'
import { connected, type Stage } from './stage.ts'

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

/** What has come to the site for the run. */
export const requestsOf = ({ sites }: Pick<Stage, 'sites'>, runId: string): LoggedRequest[] =>
  sites.badTools.requests().filter(({ idempotencyKey }) => idempotencyKey?.startsWith(runId))

/** A run of which a tool call waits for a new token, and another run behind it. */
export async function parked(stage: Pick<Stage, 'platform' | 'sites'>, tool: 'slow_once' | 'slow_read') {
  const { someone, vaultEntryId: entryId, sites } = await connected(stage)
  const replaceToken = async (token: string) =>
    void (await call(someone, vault.replaceVaultToken, { params: { entryId }, body: { token } }).then((a) => a.body))
  await replaceToken('bad-token')
  const agent = await webhookAgent(someone, { systemPrompt: `[[call ${tool} {"seconds":0}]]`, sites })
  const { runId } = (await deliver(stage.platform, agent, { number: 1 })).body
  const { runId: next } = (await deliver(stage.platform, agent, { number: 2 })).body
  await waiting(someone, runId, 40)
  return { someone, runId, next, before: await timelineOf(someone, runId), reconnect: () => replaceToken('good-token') }
}

/** Delivers a run that does what the script says, and one behind it that answers at once. */
export async function two(
  platform: Platform,
  someone: Person,
  systemPrompt: string,
  sites: { vaultEntryId: string }[] = [],
) {
  const agent = await webhookAgent(someone, { systemPrompt, allowActionOverride: true, sites })
  const { runId } = (await deliver(platform, agent, {})).body
  const { runId: next } = (await deliver(platform, agent, { action: '[[say done]]' })).body
  return { agent, runId, next }
}

/** The run ends as cancelled within ten seconds of being asked to, by the record's own times. */
export async function endsInTime(t: ExecutionContext, someone: Person, runId: string): Promise<void> {
  t.like(await ended(someone, runId, 15), { status: 'cancelled', reason: 'CANCELLED_BY_OWNER' })
  const timeline = await timelineOf(someone, runId)
  const at = (kind: string) => Date.parse(timeline.find((event) => event.kind === kind)?.at ?? '')
  const took = at('ended') - at('cancel.requested')
  measured(t, `${took} ms from the request to the end: ${courseOf(timeline).join(', ')}`)
  t.true(took <= 10_000)
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

const leaseOf = ({ services }: Platform, name: string): Promise<{ holder: string; expiresAt: Date } | undefined> =>
  services.database('leases').where({ name }).first('holder', 'expiresAt')

/** Waits until the loop that needs the lease has gone round so many times more, by whomever. */
export async function rounds(platform: Platform, name: string, count: number): Promise<void> {
  const seen = new Set<number>()
  await eventually(30, `the ${name} has gone round ${count} times`, async () => {
    seen.add((await leaseOf(platform, name))?.expiresAt.getTime() ?? 0)
    return seen.size > count || undefined
  })
}
