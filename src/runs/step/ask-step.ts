import type { AgentTool } from '../../agents/agent-sites.ts'
import type { Agents } from '../../agents/agents.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { Billing } from '../../billing/billing.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { retryWhileUnavailable, type Database } from '../../database/database.ts'
import { isCoded } from '../../errors.ts'
import { createAsk, type Asking, type Question } from '../../loop/ask.ts'
import { modelTools, offerTo, type Offer } from '../../loop/offer.ts'
import { hiddenTranscript } from '../../models/hidden-transcript.ts'
import { ModelError } from '../../models/failures.ts'
import type { Models } from '../../models/models.ts'
import type { Usage } from '../../models/usage.ts'
import type { Outages } from '../../outages/outages.ts'
import type { Outputs } from '../../outputs/outputs.ts'
import type { Sites } from '../../sites/sites.ts'
import type { Move } from '../../../workflows/messages.ts'
import type { LiveWords } from '../live/live-words.ts'
import { readRun, type RunRef } from '../record.ts'
import type { Run } from '../run.ts'
import type { Attempt } from './attempt.ts'
import { createFailStep } from './fail-step.ts'
import { createFitTranscript, type Cut } from './fit-transcript.ts'
import { summaryPrompt, withoutSummary } from './summarise.ts'
import { createReadTranscript, type RunTranscript } from './transcript.ts'
import { createWriteStep, type Next } from './write-step.ts'

/** What is read of a run before its model is asked. */
interface Prepared {
  run: Run
  offer: Offer<AgentTool>
  /** Without the secrets. */
  transcript: RunTranscript
  readAgain: (run: Run) => Promise<RunTranscript>
}

/** The next question of a run; with the cut whose summary it asks for, if it does. */
type RunQuestion = Question<AgentTool> & { cut: Cut | undefined }

export interface AskContext {
  database: Database
  clock: Clock
  config: Config
  agents: Agents
  approvals: Approvals
  billing: Billing
  models: Models
  outages: Outages
  sites: Sites
  live: LiveWords
  outputs: Outputs
  /** What comes next, for a run whose row is locked. */
  next: Next
}

/** Asks the model of an attempt, and records its answer, or how it failed. */
export function createAskStep(context: AskContext) {
  const { database, agents, models, outages, live } = context
  const askModel = createAsk(context)
  const writeStep = createWriteStep(context)
  const failStep = createFailStep(context)
  const fitTranscript = createFitTranscript(context)
  const readTranscript = createReadTranscript(context)

  /** Reads what the model is to be shown of a run. Throws MODEL_ERROR if no such model is configured. */
  async function prepare(run: Run, model: string): Promise<Prepared> {
    const { id, agentId, ownerId } = run
    const [found, transcript] = await Promise.all([
      agents.offerOf(agentId, ownerId),
      models.window(model, id).then(({ resultBytes }) => readTranscript(run, resultBytes)),
    ])
    const offer = await offerTo(models, { model, ownerId, secrets: found.secrets }, found)
    const shown = (read: RunTranscript) => hiddenTranscript({ ...read, missingSites: offer.missing }, offer.hiding)
    const readAgain = async (current: Run) => shown(await readTranscript(current, transcript.resultBytes))
    return { run, offer, transcript: shown(transcript), readAgain }
  }

  async function questionOf(ref: RunRef, attempt: Attempt, { offer, ...read }: Prepared): Promise<RunQuestion> {
    const fitted = await fitTranscript(ref, { tools: modelTools(offer), ...read }, attempt)
    const { transcript, summaryDue: cut, bytes } = fitted
    const common = { offer, cut, isSummary: cut !== undefined, bytes: () => bytes }
    if (cut) return { ...common, prompt: summaryPrompt(read.run, fitted, cut) }
    return { ...common, prompt: models.prompt(attempt.model, transcript), outputSchema: transcript.outputSchema }
  }

  const askingOf = (
    { id: runId, ownerId }: Run,
    { model, step, attempt }: Attempt,
    given: Pick<Asking, 'signal' | 'onGivenUp'>,
  ): Asking => ({
    model,
    ownerId,
    cacheKey: runId,
    isRead: false,
    speak: () => live.begin({ runId, step, attempt }),
    ...given,
  })

  async function ask(ref: RunRef, attempt: Attempt, prepared: Promise<Prepared>, signal: AbortSignal): Promise<Move> {
    let cut: Cut | undefined
    let used: Usage | undefined
    const onGivenUp = (usage: Usage | undefined) => {
      used = usage
    }
    const question = async (given: Prepared) => {
      const next = await questionOf(ref, attempt, given)
      cut = next.cut
      return next
    }
    try {
      const given = await prepared
      const asking = askingOf(given.run, attempt, { signal, onGivenUp })
      const again = async () => question(await prepare((await readRun(database, ref)).run, attempt.model))
      const { answer, offer } = await askModel(asking, await question(given), again)
      return await retryWhileUnavailable(async () => {
        await outages.answered(attempt.model)
        return writeStep(ref, attempt, { ...answer, cut }, offer)
      }, signal)
    } catch (error) {
      if (signal.aborted) await failStep.giveUp(ref, attempt, used)
      if (!isCoded(error, 'MODEL_ERROR')) throw error
      const isOut = await retryWhileUnavailable(() => failStep.examine(attempt, error, signal), signal)
      if (signal.aborted) await failStep.giveUp(ref, attempt, error instanceof ModelError ? error.usage : undefined)
      signal.throwIfAborted()
      const failure = { error, isOut, instead: cut && withoutSummary(cut) }
      const failed = await retryWhileUnavailable(() => failStep.note(ref, attempt, failure), signal)
      if (failed === 'retry') throw error
      return failed
    }
  }

  return { prepare, ask }
}
