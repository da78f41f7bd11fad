import type { Models } from '../models/models.ts'
import { bytesOf } from '../models/prompt-size.ts'
import { buildPrompt } from '../models/prompt.ts'
import type { Question } from './ask.ts'
import type { Chat } from './chat-prompt.ts'
import type { Cuts } from './fit.ts'
import { createFitTranscript, type Cut, type Fitted, type ReadRun } from './fit-transcript.ts'
import { modelTools, type LoopTool, type Offer } from './offer.ts'
import { buildSummaryPrompt } from './summary-prompt.ts'
import { createWriteChatPrompt } from './write-chat-prompt.ts'

/** Who is asked, and what is on offer; `cacheKey` identifies the run or chat. */
interface Asked<Tool extends LoopTool> {
  model: string
  ownerId: string
  cacheKey: string
  offer: Offer<Tool>
}

/**
 * Writes what models are asked: for the next step of a run or an answer, or for a summary of what they will not be shown
 * any more. MODEL_ERROR if what must not be cut is too long by itself.
 */
export function createQuestions(context: {
  models: Pick<Models, 'window' | 'reader' | 'secrets'>
  threads?: Parameters<typeof createWriteChatPrompt>[0]['threads']
}) {
  const { models, threads } = context
  const fitTranscript = createFitTranscript(context)
  const writeChatPrompt = createWriteChatPrompt({ threads })

  return {
    /**
     * The next question of a run, with the cut whose summary it asks for, if it does.
     *
     * @param read without secrets
     * @param cutTo records a cut that needs no summary, and reads the run again
     */
    async ofRun<Tool extends LoopTool>(
      { model, cacheKey, offer }: Asked<Tool>,
      read: ReadRun,
      cutTo: (cut: Cut) => Promise<ReadRun>,
    ): Promise<Question<Tool> & { cut: Cut | undefined }> {
      const fitted = await fitTranscript({ model, cacheKey, tools: modelTools(offer) }, read, cutTo)
      const { transcript, bytes, summaryDue: cut } = fitted
      const common = { offer, cut, isSummary: cut !== undefined, bytes: () => bytes }
      if (cut) return { ...common, prompt: summaryOf(fitted, cut) }
      const prompt = buildPrompt(transcript, models.reader(model))
      return { ...common, prompt, outputSchema: transcript.outputSchema }
    },

    /**
     * The next question of a chat, with how far it is cut. The secrets of its sites and the platform's are masked, which
     * waits for the owner's turn if the chat is long.
     */
    async ofChat<Tool extends LoopTool>(
      { model, ownerId, cacheKey, offer }: Asked<Tool>,
      read: Chat,
    ): Promise<Question<Tool> & { cuts: Cuts }> {
      const tools = modelTools(offer)
      const window = await models.window(model, cacheKey)
      const asked = await writeChatPrompt(model, ownerId, {
        chat: { ...read, missingTools: offer.missing },
        secrets: [...models.secrets, ...offer.tokens],
        shown: { reader: models.reader(model), window, toolBytes: bytesOf(tools) },
      })
      return { ...asked, offer, bytes: () => bytesOf(asked.prompt) + bytesOf(tools) }
    },
  }
}

/** Asks for a summary of the steps that a run's model will not see any more. */
function summaryOf({ transcript, limit }: Fitted, { cuts }: Cut) {
  const steps = transcript.steps.filter(({ step }) => step <= cuts.leftOutThrough)
  const fixed = Buffer.byteLength(transcript.systemPrompt + (transcript.leftOut?.summary ?? ''))
  return buildSummaryPrompt(transcript, steps, Math.max(limit - fixed, 0))
}
