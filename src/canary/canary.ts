import { Webhook } from 'standardwebhooks'
import { Agent } from '../agents/agent.ts'
import type { Agents } from '../agents/agents.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Database } from '../database/database.ts'
import { newId } from '../ids.ts'
import { parseJson } from '../json.ts'
import { canaryAgentId } from '../owners/system-owner.ts'
import type { Processes } from '../processes/processes.ts'
import type { OwnFetch } from '../safe-fetch/own-fetch.ts'
import type { Sealing } from '../secrets/sealing.ts'
import { presets } from '../webhooks/presets.ts'
import { signedHeaders } from '../webhooks/signed-headers.ts'
import { CanaryAttempt } from './canary-attempt.ts'
import { patienceOf, readCanaryState, type CanaryState } from './canary-state.ts'

export type { CanaryState } from './canary-state.ts'
export type { Stage } from './stages.ts'
import { ensureAgent } from './ensure-agent.ts'

/** Where the canary's callbacks arrive. */
export const canaryPath = '/canary'

/** The time of the API to accept a delivery, in milliseconds. */
const acceptMs = 10_000

/** How long the secret of the callbacks is remembered, in milliseconds. */
const knownMs = 60_000

/** The longest refusal that is kept, in characters. */
const longestRefusal = 500

/**
 * A delivery that the platform sends to itself through the real path: signed POST to the API, queue, run, callback
 * (docs/decisions/0094). The next one is sent only when its run has ended, so they do not pile up.
 */
export function createCanary(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'canary'>
  sealing: Sealing
  agents: Pick<Agents, 'secretOf' | 'callbackSecretOf'>
  processes: Pick<Processes, 'troubles'>
  ownFetch: OwnFetch
}) {
  const { database, clock, agents, ownFetch } = context
  const { url, everySeconds } = context.config.canary
  const callbackUrl = `${url}${canaryPath}`
  let known: { at: number; secret: string | null } | undefined

  async function isUnderWay(): Promise<boolean> {
    const { rows } = await database.raw<{ rows: unknown[] }>(underWayStatement, { canaryAgentId })
    return rows.length > 0
  }

  /** Sends one delivery. Returns the run, or why it was not accepted. */
  async function deliver(id: string): Promise<{ runId: string } | { refusal: string }> {
    try {
      const agent = await ensureAgent(context, callbackUrl)
      const body = JSON.stringify({ canary: id })
      const signed = { secret: agents.secretOf(agent), body: Buffer.from(body), id, now: clock.now() }
      const headers = { 'content-type': 'application/json', ...signedHeaders(presets['standard-webhooks'], signed) }
      const address = `${url}/api/webhooks/agent/${canaryAgentId}`
      const { status, text } = await ownFetch.post({ url: address, headers, body, timeoutMs: acceptMs })
      const runId = status < 300 ? memberOf(text, 'runId') : undefined
      return runId === undefined ? { refusal: refusalOf(status, url) } : { runId }
    } catch (error) {
      return { refusal: `The API did not answer at CANARY_URL ${url} (${codeOf(error)}).` }
    }
  }

  /** Read at most once a minute: anybody may post to the address. */
  async function callbackSecret(): Promise<string | null> {
    if (known && performance.now() - known.at < knownMs) return known.secret
    const agent = await Agent.query(database).findById(canaryAgentId)
    known = { at: performance.now(), secret: agent ? agents.callbackSecretOf(agent) : null }
    return known.secret
  }

  async function send(): Promise<void> {
    const id = newId()
    await database.raw(sentStatement, { id, patience: patienceOf(everySeconds) })
    const answer = await deliver(id)
    if ('runId' in answer) await database.raw(acceptedStatement, { id, runId: answer.runId })
    else await database.raw(refusedStatement, { id, refusal: answer.refusal.slice(0, longestRefusal) })
  }

  return {
    async round(): Promise<void> {
      if (!(await isUnderWay())) await send()
    },

    /** Notes a callback, if its signature is valid (Standard Webhooks). Returns whether it is. */
    async receive(headers: Record<string, string>, body: string): Promise<boolean> {
      const secret = await callbackSecret()
      if (secret === null || !isSigned(secret, headers, body)) return false
      const runId = memberOf(body, 'data', 'runId')
      const status = memberOf(body, 'data', 'status')
      if (runId !== undefined && status === 'completed')
        await database.raw(calledBackStatement, { runId, canaryAgentId })
      return true
    },

    state: (): Promise<CanaryState> => readCanaryState(context),

    /** Deletes attempts and runs of more than an hour ago. */
    async purge(): Promise<void> {
      const { rows } = await database.raw<{ rows: { id: string }[] }>(purgeRunsStatement, { canaryAgentId })
      const ids = rows.map(({ id }) => id)
      for (const [table, key] of partsOfRuns)
        await database.raw(`delete from ${table} where ${key} = any(:ids)`, { ids })
      await CanaryAttempt.query(database).whereRaw(isPast).delete()
    },
  }
}

const refusalOf = (status: number, url: string): string =>
  `The API at CANARY_URL ${url} answered the delivery with status ${status}.`

function isSigned(secret: string, headers: Record<string, string>, body: string): boolean {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}

/** The text at a path of a JSON object, if there is one. */
function memberOf(json: string, ...path: string[]): string | undefined {
  const parsed = parseJson(json, { maxValues: 1000, exactNumbers: false })
  let value: unknown = parsed.ok ? parsed.value : undefined
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name]
  return typeof value === 'string' ? value : undefined
}

/** The system's code of a failed request. Messages may quote addresses. */
function codeOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : String(name)
}

const underWayStatement = `
  select from runs where agent_id = :canaryAgentId and status in ('queued', 'running', 'waiting') limit 1`

const sentStatement = `
  insert into canary_attempts (id, sent_at, patience_seconds) values (:id, statement_timestamp(), :patience)`

/** The callback may have been faster. */
const acceptedStatement = `
  update canary_attempts set run_id = :runId, accepted_at = statement_timestamp() where id = :id`

const refusedStatement = `update canary_attempts set refusal = :refusal where id = :id`

/** The delivery's key names the attempt, also before the answer to its sender is recorded. */
const calledBackStatement = `
  update canary_attempts a
     set called_back_at = coalesce(a.called_back_at, statement_timestamp()), run_id = k.run_id,
         accepted_at = coalesce(a.accepted_at, statement_timestamp())
    from idempotency_keys k
   where k.run_id = :runId and k.agent_id = :canaryAgentId and k.key = a.id::text`

/** What stays until a whole week of runs is deleted, and the column with the run. */
const partsOfRuns = [
  ['run_inputs', 'run_id'],
  ['run_events', 'run_id'],
  ['steps', 'subject_id'],
  ['tool_calls', 'subject_id'],
] as const

/** A pending callback goes with its run. */
const purgeRunsStatement = `
  delete from runs where agent_id = :canaryAgentId and ended_at < statement_timestamp() - interval '1 hour'
  returning id`

/** The latest attempt and the last success stay: an outage of hours must not look like a canary that is off. */
const isPast = `
  sent_at < statement_timestamp() - interval '1 hour'
  and id is distinct from (select id from canary_attempts order by sent_at desc limit 1)
  and (called_back_at is null or called_back_at < (select max(called_back_at) from canary_attempts))`
