import type { Agents } from '../../agents/agents.ts'
import type { Billing } from '../../billing/billing.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { persist, type Database, type Transaction } from '../../database/database.ts'
import { isCoded, type CodedError } from '../../errors.ts'
import type { Models } from '../../models/models.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { Sites } from '../../sites/sites.ts'
import type { Move } from '../../../workflows/messages.ts'
import { createDecide } from './decide.ts'
import { planCalls, type OfferedTool } from './planned-calls.ts'
import type { Due } from '../due.ts'
import { lockRun, type RunRef } from '../record.ts'
import { RunStep } from '../run-step.ts'
import { Run } from '../run.ts'
import { hasEnded, type EndReason } from '../states.ts'
import { append, type StepFailure } from '../timeline.ts'
import { readTranscript } from './transcript.ts'
import { createWaits } from './waits.ts'

/**
 * How often a step's model call is begun before the run is given up. Counts crashes too, or one could repeat forever;
 * a call that was aborted does not count, because stopping a worker is no fault of the call.
 */
const maxAttempts = 4

type StepResult = Awaited<ReturnType<Models['step']>>

/** An attempt at a step: its number on the timeline, and how many of them count. */
interface Attempt {
  attempt: number
  counted: number
}

/**
 * The model steps of runs. `advance` answers from the record first: asked again after any crash, it repeats nothing that
 * was recorded.
 */
export function createSteps(context: {
  database: Database
  clock: Clock
  config: Config
  agents: Agents
  billing: Billing
  notifications: Notifications
  models: Models
  sites: Sites
  due: Due
}) {
  const { database, clock, agents, billing, models, sites } = context
  const decide = createDecide(context)
  const waits = createWaits({ ...context, decide })

  /** Counts the attempt, or says what comes instead: an earlier attempt may have recorded the step meanwhile. */
  function begin(ref: RunRef, step: number): Promise<Attempt | { instead: Move }> {
    return database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      const { move } = await decide(trx, ref)
      if (move.kind !== 'model' || move.step !== step) return { instead: move }
      const counted = run.stepAttempts + 1
      if (counted > maxAttempts) return { instead: failedFor('STEP_ABANDONED') }
      await Run.query(trx).findById(run.id).patch({ stepAttempts: counted })
      const note = 'The attempt before came to no recorded end: its worker failed or was stopped.'
      const { begun, failed } = await attemptsBefore(trx, run.id, step)
      const attempt = begun + 1
      const lost = begun > 0 && failed !== begun
      await append(trx, run.id, clock.now(), [{ kind: 'step.started', data: { step, attempt, ...(lost && { note }) } }])
      return { attempt, counted }
    })
  }

  async function ask(ref: RunRef, step: number, { attempt, counted }: Attempt, signal: AbortSignal): Promise<Move> {
    const run = await Run.query(database).findById(ref.runId).throwIfNotFound()
    const tools = await offeredTools(run)
    const { instructions, messages } = models.buildPrompt(await readTranscript(database, run))
    const offered = tools.map(({ name, tool }) => ({
      name,
      description: tool.description,
      inputSchema: tool.inputSchema as object,
    }))
    try {
      const result = await models.step({ instructions, messages, tools: offered, signal })
      await persist(() => record(ref, step, attempt, result, tools), signal)
    } catch (error) {
      if (signal.aborted) await takeBack(ref, step, counted)
      if (!isCoded(error, 'MODEL_ERROR')) throw error
      const willRetry = error.retryable && counted < maxAttempts
      const { code, message } = error
      const failure = { step, attempt, code, message, willRetry, ...(willRetry && retryTime(error)) }
      await persist(() => noteFailure(ref, failure), signal)
      if (willRetry) throw error
      return failedFor('MODEL_ERROR')
    }
    return next(ref)
  }

  /** What comes now; what begins or ends a wait is on record before the workflow acts on it. */
  async function next(ref: RunRef): Promise<Move> {
    const { move, record } = await decide(database, ref)
    return move.kind === 'wait' || record.run.waitingCause !== null ? waits.settle(ref) : move
  }

  async function offeredTools(run: Run): Promise<OfferedTool[]> {
    const tools = await agents.toolsOf(run.agentId, run.ownerId)
    const named = models.nameTools(
      tools.map(({ entryId, siteName, tool }) => ({ site: entryId, siteName, tool: tool.name })),
    )
    return named.map(({ name }, index) => ({ name, ...(tools[index] as (typeof tools)[number]) }))
  }

  function record(ref: RunRef, step: number, attempt: number, result: StepResult, tools: OfferedTool[]) {
    return database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      // Another attempt was faster, or the run was cancelled meanwhile: what is on record stands.
      if (run.steps !== step - 1 || hasEnded(run.status)) return
      const now = clock.now()
      const credits = billing.stepCredits(result)
      await billing.chargeStep(trx, { userId: run.ownerId, runId: run.id, step, credits })
      await RunStep.query(trx).insert({
        runId: run.id,
        step,
        model: result.model,
        answer: { text: result.text },
        finish: result.finish,
        inputTokens: result.inputTokens,
        outputTokens: result.outputTokens,
        credits,
        latencyMs: result.latencyMs,
        recordedAt: now,
      })
      await append(trx, run.id, now, [{ kind: 'step.finished', data: { step, attempt } }])
      await planCalls(trx, { run, step, calls: result.calls, tools, now, sites })
      await count(trx, run, step, result, credits)
    })
  }

  /** Makes an aborted attempt not count, unless somebody has begun the next one or recorded the step. */
  function takeBack(ref: RunRef, step: number, counted: number) {
    return database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      if (run.steps !== step - 1 || run.stepAttempts !== counted) return
      await Run.query(trx)
        .findById(run.id)
        .patch({ stepAttempts: counted - 1 })
    })
  }

  /** When the failed call is made again, where its provider has named a time; otherwise it is a matter of seconds. */
  const retryTime = ({ retryAfter }: CodedError): Pick<StepFailure, 'retryAt'> =>
    retryAfter ? { retryAt: new Date(clock.now().getTime() + retryAfter * 1000).toISOString() } : {}

  function noteFailure(ref: RunRef, data: StepFailure) {
    return database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      // Too late to be told: the step was recorded, or the run ended, while this attempt was failing.
      if (run.steps !== data.step - 1 || hasEnded(run.status)) return
      await append(trx, run.id, clock.now(), [{ kind: 'step.failed', data }])
    })
  }

  return {
    /**
     * Makes the run's next model call unless the record asks for something else first, and says what comes after it.
     * Throws MODEL_ERROR while another attempt makes sense, StaleEpochError, or the signal's reason when aborted.
     */
    async advance(ref: RunRef, signal: AbortSignal): Promise<Move> {
      const move = await next(ref)
      if (move.kind !== 'model') return move
      const begun = await begin(ref, move.step)
      if ('instead' in begun) return begun.instead.kind === 'wait' ? waits.settle(ref) : begun.instead
      return ask(ref, move.step, begun, signal)
    },
  }
}

const failedFor = (reason: EndReason): Move => ({ kind: 'end', status: 'failed', reason })

/** How many attempts at the step were begun, and the number of the last one that is known to have failed. */
async function attemptsBefore(trx: Transaction, runId: string, step: number) {
  const { rows } = await trx.raw<{ rows: [{ begun: number; failed: number | null }] }>(
    `select count(*) filter (where kind = 'step.started')::int as begun,
            max((data->>'attempt')::int) filter (where kind = 'step.failed') as failed
       from run_events where run_id = ? and kind in ('step.started', 'step.failed') and (data->>'step')::int = ?`,
    [runId, step],
  )
  return rows[0]
}

async function count(trx: Transaction, run: Run, step: number, result: StepResult, credits: number): Promise<void> {
  await Run.query(trx)
    .findById(run.id)
    .patch({
      steps: step,
      stepAttempts: 0,
      toolCalls: run.toolCalls + result.calls.length,
      inputTokens: run.inputTokens + result.inputTokens,
      outputTokens: run.outputTokens + result.outputTokens,
      credits: run.credits + credits,
    })
}
