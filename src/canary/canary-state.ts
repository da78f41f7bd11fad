import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { presentSince } from '../processes/presence-sql.ts'
import type { Processes, Troubles } from '../processes/processes.ts'
import { quietSeconds } from './canary-sql.ts'
import { stageOf, type LatestAttempt, type Stage } from './stages.ts'

/** The shortest time without a success after which the canary fails, in seconds, and otherwise how many intervals. */
const shortestPatience = 90
const patienceRounds = 3

export const patienceOf = (everySeconds: number): number =>
  Math.ceil(Math.max(shortestPatience, patienceRounds * everySeconds))

export interface CanaryState {
  status: 'ok' | 'failing' | 'off'
  /** null if there was none, or none in the last hour before it was turned off. */
  lastSuccessAt: Date | null
  failedStage: Stage | null
  /** A sentence. */
  message: string
}

interface Facts extends LatestAttempt {
  id: string | null
  lastSuccessAt: Date | null
  quietSeconds: number | null
}

/** Reads whether a delivery passes through the platform. A frozen process or a dead loop fails it too. */
export async function readCanaryState(context: {
  database: Database
  config: Pick<Config, 'canary'>
  processes: Pick<Processes, 'troubles'>
}): Promise<CanaryState> {
  const { database, config, processes } = context
  const { everySeconds } = config.canary
  const { rows } = await database.raw<{ rows: [Facts] }>(factsStatement)
  const [facts] = rows
  const { lastSuccessAt } = facts
  if (everySeconds === 0)
    return { status: 'off', lastSuccessAt, failedStage: null, message: 'The canary is off: CANARY_SECONDS is 0.' }
  const trouble = troubleIn(await processes.troubles())
  if (trouble) return { status: 'failing', lastSuccessAt, ...trouble }
  const quiet = facts.quietSeconds
  if (quiet === null || quiet <= patienceOf(everySeconds))
    return { status: 'ok', lastSuccessAt, failedStage: null, message: lastSuccessAt ? passes : begins }
  const { stage, message } = stageOf(facts.id === null ? undefined : facts)
  const failed = `No delivery has passed for ${Math.round(quiet)} seconds. ${message}`
  return { status: 'failing', lastSuccessAt, failedStage: stage, message: failed }
}

const passes = 'Deliveries pass from the webhook to the callback.'
const begins = 'The first delivery is on its way.'

function troubleIn({
  frozen: [frozen],
  dead: [dead],
}: Troubles): Pick<CanaryState, 'failedStage' | 'message'> | undefined {
  if (frozen)
    return {
      failedStage: 'process',
      message: `The ${frozen.kind} process ${frozen.id} has been silent for ${Math.round(frozen.silentSeconds)} seconds and has not signed off.`,
    }
  if (dead)
    return {
      failedStage: 'loop',
      message: `The loop "${dead.name}" of the ${dead.kind} process ${dead.processId} has given no sign of life for ${Math.round(dead.quietSeconds)} seconds.`,
    }
  return undefined
}

const factsStatement = `
  select a.id, a.refusal, a.accepted_at as "acceptedAt", r.status as "runStatus", r.error as "runError",
         c.outcome as "callbackOutcome", (select max(called_back_at) from canary_attempts) as "lastSuccessAt",
         case when ${presentSince} is not null then ${quietSeconds} end as "quietSeconds"
    from (select 1) one
    left join lateral (select * from canary_attempts order by sent_at desc limit 1) a on true
    left join runs r on r.id = a.run_id
    left join lateral (
      select t.outcome from callbacks b join callback_attempts t on t.callback_id = b.id
       where b.run_id = r.id order by t.attempt desc limit 1) c on true`
