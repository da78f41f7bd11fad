import type { MissingSite } from '../../agents/agent-sites.ts'
import type { Agents } from '../../agents/agents.ts'
import type { Billing } from '../../billing/billing.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config/config.ts'
import { retryWhileUnavailable, type Database } from '../../database/database.ts'
import { isCoded } from '../../errors.ts'
import type { Models } from '../../models/models.ts'
import type { Sites } from '../../sites/sites.ts'
import type { Move } from '../../../workflows/messages.ts'
import type { RunRef } from '../record.ts'
import { Run } from '../run.ts'
import type { Attempt } from './attempt.ts'
import { createFailStep } from './fail-step.ts'
import { judge } from './judge.ts'
import { checkArguments, type OfferedTool } from './planned-calls.ts'
import { readTranscript } from './transcript.ts'
import { createWriteStep, type Next } from './write-step.ts'

/** What the model is offered in a step, and which sites of its agent it has to do without. */
interface Offer {
  tools: OfferedTool[]
  missing: MissingSite[]
}

export interface AskContext {
  database: Database
  clock: Clock
  config: Config
  agents: Agents
  billing: Billing
  models: Models
  sites: Sites
  /** What comes next, for a run whose row is locked. */
  next: Next
}

/** Asks the model of an attempt, and records its answer, or how it failed. */
export function createAsk(context: AskContext) {
  const { database, agents, models, sites } = context
  const writeStep = createWriteStep(context)
  const failStep = createFailStep(context)

  async function answerOf(run: Run, { model }: Attempt, offer: Offer, signal: AbortSignal) {
    const [transcript, secrets] = await Promise.all([
      readTranscript(database, run),
      agents.knownSecrets(run.agentId, run.ownerId),
    ])
    const hiding = models.hiding(secrets)
    const prompt = models.prompt(model, { ...transcript, missingSites: offer.missing }, hiding)
    const tools = offer.tools.map(({ name, siteName, tool }) => ({
      name,
      siteName,
      description: tool.description,
      inputSchema: tool.inputSchema as object,
    }))
    const result = await models.step({
      model,
      prompt,
      tools,
      cacheKey: run.id,
      outputSchema: transcript.outputSchema,
      signal,
      hiding,
    })
    const calls = await checkArguments(sites, run.ownerId, result.calls, offer.tools)
    return { ...result, calls, verdict: judge(result), cost: await models.costOf(model, result) }
  }

  async function offerOf(run: Run): Promise<Offer> {
    const { tools, missing } = await agents.offerOf(run.agentId, run.ownerId)
    const named = models.nameTools(
      tools.map(({ entryId, siteName, tool }) => ({ site: entryId, siteName, tool: tool.name })),
    )
    const offered = named.map(({ name }, index) => ({ name, ...(tools[index] as (typeof tools)[number]) }))
    // Always the same order: providers cache prompts, and tools stand at their beginning.
    return { tools: offered.toSorted((one, other) => (one.name < other.name ? -1 : 1)), missing }
  }

  return async (ref: RunRef, attempt: Attempt, signal: AbortSignal): Promise<Move> => {
    const run = await Run.query(database).findById(ref.runId).throwIfNotFound()
    const offer = await offerOf(run)
    try {
      const answer = await answerOf(run, attempt, offer, signal)
      return await retryWhileUnavailable(() => writeStep(ref, attempt, answer, offer), signal)
    } catch (error) {
      if (signal.aborted) await failStep.uncount(ref, attempt)
      if (!isCoded(error, 'MODEL_ERROR')) throw error
      const failed = await retryWhileUnavailable(() => failStep.note(ref, attempt, error), signal)
      if (failed === 'retry') throw error
      return failed
    }
  }
}
