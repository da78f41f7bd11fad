import type { MissingSite } from '../../agents/agent-sites.ts'
import type { Agents } from '../../agents/agents.ts'
import type { Billing } from '../../billing/billing.ts'
import { stepCredits } from '../../billing/prices.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { retryWhileUnavailable, type Database, type Transaction } from '../../database/database.ts'
import { isCoded, type CodedError } from '../../errors.ts'
import type { Models } from '../../models/models.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { Sites } from '../../sites/sites.ts'
import type { Move } from '../../../workflows/messages.ts'
import type { Due } from '../due.ts'
import { lockRun, type RunRef } from '../record.ts'
import { RunStep } from '../run-step.ts'
import { noAttempt, Run } from '../run.ts'
import { hasEnded, type EndReason } from '../states.ts'
import { append } from '../timeline.ts'
import { createDecide } from './decide.ts'
import { checkArguments, planCalls, type CheckedCall, type OfferedTool } from './planned-calls.ts'
import { readTranscript } from './transcript.ts'
import { createWaits } from './waits.ts'

/**
 * How often a step's model call is begun before the run fails. Crashes count, or one could repeat forever; aborted
 * calls do not, because stopping a worker is not the call's fault.
 */
const maxAttempts = 4

type StepResult = Awaited<ReturnType<Models['step']>>
type CheckedResult = StepResult & { calls: CheckedCall[] }

/** What the model was offered in a step, and which sites of its agent it had to do without. */
interface Offer {
  tools: OfferedTool[]
  missing: MissingSite[]
}

/** An attempt at a step: its number on the timeline, and how many attempts count. */
interface Attempt {
  step: number
  attempt: number
  counted: number
}

/**
 * The model steps of runs. `advance` answers from the record first: after a crash it repeats nothing that was recorded.
 * A step takes two transactions, each of which decides under the run's lock: one begins the attempt, the other records
 * its answer and decides what comes next.
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
  const waits = createWaits(context)

  /** The next move; a wait begins or ends in the record before the workflow acts on it. */
  const next = async (trx: Transaction, run: Run): Promise<Move> => waits.follow(trx, await decide(trx, run))

  /** Counts the attempt at a model call, or returns what comes instead. */
  const begin = (ref: RunRef): Promise<Attempt | { instead: Move }> =>
    database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      const move = await next(trx, run)
      if (move.kind !== 'model') return { instead: move }
      const { step } = move
      const counted = run.stepAttempts + 1
      if (counted > maxAttempts) return { instead: failedFor('STEP_ABANDONED') }
      // A worker of the release before counts only those that may be repeated.
      const attempt = Math.max(run.attempt, run.stepAttempts) + 1
      const isLost = run.attempt > 0 && run.failedAttempt !== run.attempt
      const now = clock.now()
      const data = { step, attempt, ...(isLost && { note: lostNote }) }
      const changes = { stepAttempts: counted, attempt, attemptedAt: now }
      await append(trx, run.id, now, [{ kind: 'step.started', data }], changes)
      return { step, attempt, counted }
    })

  async function ask(ref: RunRef, attempt: Attempt, signal: AbortSignal): Promise<Move> {
    const run = await Run.query(database).findById(ref.runId).throwIfNotFound()
    const { tools, missing } = await offerOf(run)
    const transcript = await readTranscript(database, run)
    const { instructions, messages } = models.buildPrompt({ ...transcript, missingSites: missing })
    const offered = tools.map(({ name, tool }) => ({
      name,
      description: tool.description,
      inputSchema: tool.inputSchema as object,
    }))
    try {
      const result = await models.step({ instructions, messages, tools: offered, signal })
      const calls = await checkArguments(sites, run.ownerId, result.calls, tools)
      return await retryWhileUnavailable(() => record(ref, attempt, { ...result, calls }, { tools, missing }), signal)
    } catch (error) {
      if (signal.aborted) await uncount(ref, attempt)
      if (!isCoded(error, 'MODEL_ERROR')) throw error
      const willRetry = error.retryable && attempt.counted < maxAttempts
      await retryWhileUnavailable(() => noteFailure(ref, attempt, error, willRetry), signal)
      if (willRetry) throw error
      return failedFor('MODEL_ERROR')
    }
  }

  async function offerOf(run: Run): Promise<Offer> {
    const { tools, missing } = await agents.offerOf(run.agentId, run.ownerId)
    const named = models.nameTools(
      tools.map(({ entryId, siteName, tool }) => ({ site: entryId, siteName, tool: tool.name })),
    )
    return { tools: named.map(({ name }, index) => ({ name, ...(tools[index] as (typeof tools)[number]) })), missing }
  }

  const record = (ref: RunRef, attempt: Attempt, result: CheckedResult, offer: Offer): Promise<Move> =>
    database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      // Another attempt was faster, or the run was cancelled meanwhile: the record stands.
      if (run.steps === attempt.step - 1 && !hasEnded(run.status)) await write(trx, run, attempt, result, offer)
      return next(trx, run)
    })

  async function write(
    trx: Transaction,
    run: Run,
    { step, attempt }: Attempt,
    result: CheckedResult,
    { tools, missing }: Offer,
  ) {
    const now = clock.now()
    const credits = stepCredits(result)
    await billing.credits.chargeStep(trx, { ownerId: run.ownerId, runId: run.id, step, credits })
    await RunStep.query(trx).insert(toRow(run, step, result, credits, now))
    const events = await planCalls(trx, { run, step, calls: result.calls, tools, now })
    const changes = {
      ...noAttempt,
      steps: step,
      toolCalls: run.toolCalls + result.calls.length,
      inputTokens: run.inputTokens + result.inputTokens,
      outputTokens: run.outputTokens + result.outputTokens,
      credits: run.credits + credits,
    }
    const data = { step, attempt, ...(missing.length > 0 && { missingSites: missing }) }
    await append(trx, run.id, now, [{ kind: 'step.finished', data }, ...events], changes)
    Object.assign(run, changes)
  }

  /** Uncounts an aborted attempt, unless the next one has begun or the step is recorded. */
  const uncount = (ref: RunRef, { step, counted }: Attempt): Promise<void> =>
    database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      if (run.steps !== step - 1 || run.stepAttempts !== counted) return
      await Run.query(trx)
        .findById(run.id)
        .patch({ stepAttempts: counted - 1 })
    })

  const noteFailure = (ref: RunRef, { step, attempt }: Attempt, error: CodedError, willRetry: boolean): Promise<void> =>
    database.transaction(async (trx) => {
      const run = await lockRun(trx, ref)
      // Too late: the step was recorded, or the run ended, while this attempt was failing.
      if (run.steps !== step - 1 || hasEnded(run.status)) return
      const now = clock.now()
      const { code, message, retryAfter } = error
      // If the provider named no time, the retry comes within seconds.
      const retryAt = willRetry && retryAfter ? new Date(now.getTime() + retryAfter * 1000) : null
      const data = { step, attempt, code, message, willRetry, ...(retryAt && { retryAt: retryAt.toISOString() }) }
      // A late failure says nothing about the attempt that was begun since.
      const changes = attempt < run.attempt ? {} : { failedAttempt: attempt, failedAt: now, failure: message, retryAt }
      await append(trx, run.id, now, [{ kind: 'step.failed', data }], changes)
    })

  return {
    /**
     * Makes the run's next model call unless the record asks for something else first, and returns what comes next.
     * Throws MODEL_ERROR while another attempt makes sense, StaleEpochError, or the signal's reason if aborted.
     */
    async advance(ref: RunRef, signal: AbortSignal): Promise<Move> {
      const begun = await begin(ref)
      return 'instead' in begun ? begun.instead : ask(ref, begun, signal)
    },
  }
}

const lostNote = 'The previous attempt has no recorded end: its worker failed or was stopped.'

const failedFor = (reason: EndReason): Move => ({ kind: 'end', status: 'failed', reason })

const toRow = (run: Run, step: number, result: StepResult, credits: number, recordedAt: Date): Partial<RunStep> => ({
  runId: run.id,
  step,
  model: result.model,
  answer: result.text,
  finish: result.finish,
  inputTokens: result.inputTokens,
  outputTokens: result.outputTokens,
  credits,
  latencyMs: result.latencyMs,
  recordedAt,
})
