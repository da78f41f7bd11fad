import type { Approvals } from '../approvals/approvals.ts'
import type { Billing } from '../billing/billing.ts'
import type { Config } from '../config/config.ts'
import type { Metrics } from '../metrics/metrics.ts'
import type { Models } from '../models/models.ts'
import type { Outputs } from '../outputs/outputs.ts'
import type { Sites } from '../sites/sites.ts'
import type { Sender } from '../tools/sender.ts'
import { createAsk } from './ask.ts'
import { offerTo, type Offer } from './offer.ts'
import { createPerformCall } from './perform-call.ts'
import { createQuestions } from './questions.ts'
import { createSettleCalls } from './settle-calls.ts'
import { createCharge, createWriteStep } from './write-step.ts'

/**
 * The loop of an agent, as its two drivers know it: the workflow of a run (`src/runs`) and the process that answers a chat
 * (`src/chat`). They alone know where a run or an answer is recorded; the loop alone knows models and sites.
 *
 * A step of a driver: wait for a place at the model's provider (`inPlace`), `offer` it tools, write the question (`ofRun`,
 * `ofChat`), `ask` it, record the answer with its charge and the calls that it asks for (`writeStep`), and make each of them
 * (`performCall`); until the model has finished, or a budget is used up.
 */
export function createLoop(context: {
  approvals: Pick<Approvals, 'request'>
  config: Pick<Config, 'creditUsd'>
  billing: Pick<Billing, 'credits'>
  metrics: Pick<Metrics, 'toolCalls' | 'tokens' | 'credits'>
  models: Models
  outputs: Pick<Outputs, 'read'>
  sender: Pick<Sender, 'send' | 'ask' | 'abandon'>
  sites: Pick<Sites, 'argumentProblems'>
  threads?: Parameters<typeof createQuestions>[0]['threads']
}) {
  const { models } = context
  return {
    /** The model of agents and sessions that name none. */
    defaultModel: models.defaultModel,

    /** The platform's secrets at its providers. They must not be in what a site answers. */
    secrets: models.secrets,

    /** Runs the work in a slot of the model's provider, in equal shares per owner. NoPlaceError if none is free. */
    inPlace: models.inPlace,

    /** What a model is offered of these tools. MODEL_ERROR if it is not configured. */
    offer: (
      to: { model: string; ownerId: string; secrets?: string[] },
      found: Parameters<typeof offerTo>[2],
    ): Promise<Offer> => offerTo(models, to, found),

    /** How much of one result a model is shown, in bytes. MODEL_ERROR if it is not configured. */
    resultBytes: async (model: string, cacheKey: string): Promise<number> =>
      (await models.window(model, cacheKey)).resultBytes,

    ...createQuestions(context),
    ask: createAsk(context),

    charge: createCharge(context),
    writeStep: createWriteStep(context),
    performCall: createPerformCall(context),
    settleCalls: createSettleCalls(context),
  }
}

export type Loop = ReturnType<typeof createLoop>
