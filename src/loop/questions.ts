import type * as inThread from '../in-thread.ts'
import { promptTooLong } from '../models/failures.ts'
import type { Models } from '../models/models.ts'
import { bytesOf } from '../models/prompt-size.ts'
import type { Threads } from '../threads/threads.ts'
import type { Question } from './ask.ts'
import { lengthOf, type Chat } from './chat-prompt.ts'
import type { Cuts } from './fit.ts'
import { createFitTranscript, type Cut, type Fitted, type ReadRun } from './fit-transcript.ts'
import { promptOfChat } from './in-thread.ts'
import { modelTools, type Offer } from './offer.ts'
import { buildPrompt } from './run-prompt.ts'
import { buildSummaryPrompt } from './summary-prompt.ts'

/** The longest chat that is masked inline. Searching a mebibyte for secrets can take 80 ms. */
const inlineCharacters = 64 * 1024

/** Who is asked, and what is on offer; `cacheKey` identifies the run or chat. */
interface Asked {
  model: string
  ownerId: string
  cacheKey: string
  offer: Offer
}

/**
 * Writes what models are asked: for the next step of a run or an answer, or for a summary of what they will not be shown
 * any more. MODEL_ERROR if what must not be cut is too long by itself.
 */
export function createQuestions(context: {
  models: Pick<Models, 'window' | 'reader' | 'secrets'>
  threads?: Pick<Threads<typeof inThread>, 'run'> | undefined
}) {
  const { models, threads } = context
  const fitTranscript = createFitTranscript(context)

  return {
    /**
     * The next question of a run, with the cut whose summary it asks for, if it does.
     *
     * @param read without secrets
     * @param cutTo records a cut that needs no summary, and reads the run again
     */
    async ofRun(
      { model, cacheKey, offer }: Asked,
      read: ReadRun,
      cutTo: (cut: Cut) => Promise<ReadRun>,
    ): Promise<Question & { cut: Cut | undefined }> {
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
    async ofChat({ model, ownerId, cacheKey, offer }: Asked, read: Chat): Promise<Question & { cuts: Cuts }> {
      const tools = modelTools(offer)
      const window = await models.window(model, cacheKey)
      const given = {
        chat: { ...read, missingTools: offer.missing },
        secrets: [...models.secrets, ...offer.tokens],
        shown: { reader: models.reader(model), window, toolBytes: bytesOf(tools) },
      }
      const isShort = threads === undefined || lengthOf(read) <= inlineCharacters
      const asked = await (isShort ? promptOfChat(given) : threads.run(ownerId, 'promptOfChat', given))
      if ('tokens' in asked) throw promptTooLong(model, asked)
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
