import type { MissingSite } from '../../agents/agent-sites.ts'
import type { Agents } from '../../agents/agents.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { Billing } from '../../billing/billing.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { retryWhileUnavailable, type Database } from '../../database/database.ts'
import { isCoded } from '../../errors.ts'
import type { Hiding } from '../../hiding/hiding.ts'
import { checkArguments, type OfferedTool } from '../../loop/plan-calls.ts'
import { hiddenTranscript } from '../../models/hidden-transcript.ts'
import { ModelError } from '../../models/failures.ts'
import type { ModelTool } from '../../models/offer/model-tool.ts'
import { leftOut, toModelTool } from '../../models/offer/offer.ts'
import type { Models } from '../../models/models.ts'
import { PromptTooLong } from '../../models/refusals/prompt-too-long.ts'
import type { Usage } from '../../models/usage.ts'
import type { Outages } from '../../outages/outages.ts'
import type { Outputs } from '../../outputs/outputs.ts'
import type { Sites } from '../../sites/sites.ts'
import type { Move } from '../../../workflows/messages.ts'
import type { LiveWords } from '../live/live-words.ts'
import type { RunRef } from '../record.ts'
import { Run } from '../run.ts'
import type { Asking, Attempt } from './attempt.ts'
import { createFailStep } from './fail-step.ts'
import { createFitTranscript, type Cut, type Fitted } from './fit-transcript.ts'
import { judgeOutput } from './judge-output.ts'
import { summarise, withoutSummary } from './summarise.ts'
import { createReadTranscript, type RunTranscript } from './transcript.ts'
import { measuredBytesPerToken } from '../../models/prompt-tokens.ts'
import { createWriteStep, type Next } from './write-step.ts'

/** What the model is offered in a step, and which sites of its agent it has to do without. */
interface Offer {
  tools: OfferedTool[]
  missing: MissingSite[]
  tokens: string[]
}

/** What is read of a run before its model is asked. */
interface Prepared {
  run: Run
  offer: Offer
  hiding: Hiding
  /** Without the secrets. */
  transcript: RunTranscript
  readAgain: (run: Run) => Promise<RunTranscript>
}

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
export function createAsk(context: AskContext) {
  const { database, agents, models, outages, sites, live, outputs } = context
  const writeStep = createWriteStep(context)
  const failStep = createFailStep(context)
  const fitTranscript = createFitTranscript(context)
  const readTranscript = createReadTranscript(context)

  async function answerOf(
    run: Run,
    { model, step, attempt }: Attempt,
    offer: Offer,
    { transcript, bytes }: Fitted,
    { hiding, signal, onGivenUp }: Asking,
  ) {
    const prompt = models.prompt(model, transcript)
    const words = live.begin({ runId: run.id, step, attempt })
    const request = {
      model,
      prompt,
      tools: toolsOf(offer),
      cacheKey: run.id,
      party: run.ownerId,
      outputSchema: transcript.outputSchema,
      signal,
      hiding,
      onGivenUp,
    }
    const result = await models.step({ ...request, onWords: words.add }).finally(words.end)
    const calls = await checkArguments(sites, run.ownerId, result.calls, offer.tools)
    const wanted = { outputs, schema: transcript.outputSchema, ownerId: run.ownerId }
    const judged = { ...result, calls, ...(await judgeOutput(result, wanted)) }
    return {
      ...judged,
      cost: await models.costOf(model, result),
      bytesPerToken: measuredBytesPerToken(bytes, result.inputTokens),
    }
  }

  async function offerOf(run: Run, model: string): Promise<Offer> {
    const { tools: found, missing, tokens } = await agents.offerOf(run.agentId, run.ownerId)
    const { tools, leftOut: not } = models.offer(model, run.ownerId, found)
    return { tools, missing: [...missing, ...not], tokens }
  }

  /** Reads what the model is to be shown. Throws MODEL_ERROR if no such model is configured. */
  async function prepare({ runId }: RunRef, model: string): Promise<Prepared> {
    const [run, { resultBytes }] = await Promise.all([
      Run.query(database).findById(runId).throwIfNotFound(),
      models.window(model, runId),
    ])
    const [offer, secrets, transcript] = await Promise.all([
      offerOf(run, model),
      agents.secretsOfAgent(run.agentId),
      readTranscript(run, resultBytes),
    ])
    const hiding = await models.hiding([...secrets, ...offer.tokens])
    const shown = (found: RunTranscript) => hiddenTranscript({ ...found, missingSites: offer.missing }, hiding)
    const readAgain = async (current: Run) => shown(await readTranscript(current, resultBytes))
    return { run, offer, hiding, transcript: shown(transcript), readAgain }
  }

  async function ask(ref: RunRef, attempt: Attempt, prepared: Promise<Prepared>, signal: AbortSignal): Promise<Move> {
    let summaryDue: Cut | undefined
    let used: Usage | undefined
    const onGivenUp = (usage: Usage | undefined) => {
      used = usage
    }
    const askAs = async ({ run, offer, hiding, ...read }: Prepared) => {
      const fitted = await fitTranscript(ref, { run, tools: toolsOf(offer), ...read }, attempt)
      summaryDue = fitted.summaryDue
      const answer = summaryDue
        ? await summarise(models, { run, attempt, hiding, signal, onGivenUp }, fitted, summaryDue)
        : await answerOf(run, attempt, offer, fitted, { hiding, signal, onGivenUp })
      return { answer, offer: withoutRefused(offer, answer.refusedTools) }
    }
    try {
      const { answer, offer } = await askAs(await prepared).catch(async (error: unknown) => {
        if (!(error instanceof PromptTooLong) || signal.aborted) throw error
        // Its window is narrower now.
        return askAs(await prepare(ref, attempt.model))
      })
      return await retryWhileUnavailable(async () => {
        await outages.answered(attempt.model)
        return writeStep(ref, attempt, answer, offer)
      }, signal)
    } catch (error) {
      if (signal.aborted) await failStep.giveUp(ref, attempt, used)
      if (!isCoded(error, 'MODEL_ERROR')) throw error
      const isOut = await retryWhileUnavailable(() => failStep.examine(attempt, error, signal), signal)
      if (signal.aborted) await failStep.giveUp(ref, attempt, error instanceof ModelError ? error.usage : undefined)
      signal.throwIfAborted()
      const failure = { error, isOut, instead: summaryDue && withoutSummary(summaryDue) }
      const failed = await retryWhileUnavailable(() => failStep.note(ref, attempt, failure), signal)
      if (failed === 'retry') throw error
      return failed
    }
  }

  return { prepare, ask }
}

const toolsOf = ({ tools }: Offer): ModelTool[] => tools.map(toModelTool)

/** What the model was offered in the end. */
function withoutRefused({ tools, missing, tokens }: Offer, names: string[] = []): Offer {
  const { kept = [], refused = [] } = Object.groupBy(tools, ({ name }) => (names.includes(name) ? 'refused' : 'kept'))
  return { tools: kept, missing: [...missing, ...leftOut(refused, 'refused_tools')], tokens }
}
