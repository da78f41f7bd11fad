import type { Approval } from '../approvals/approval.ts'
import { CodedError } from '../errors.ts'
import type { ToolCall } from '../tools/tool-call.ts'
import type { ChatAnswer } from './chat-answer.ts'
import {
  approvalPart,
  callPart,
  failureParts,
  outcomePart,
  startPart,
  textId,
  type ChatPart,
  type Finish,
  type Metadata,
} from './parts.ts'

/** Takes parts as they come; more are given only once it has done with them. */
export type Sink = (part: ChatPart) => void | Promise<void>

/**
 * Writes an answer as parts. Nothing is written before there is content, so that what fails earlier can be an ordinary
 * error reply. Each answer ends with exactly one of `finish`, `error` and `abort`.
 */
export function createPartWriter(answer: Pick<ChatAnswer, 'id' | 'sessionId' | 'model'>, sink: Sink) {
  let begun = false
  let openStep = false
  let openText: number | undefined
  let written = 0
  /** How often the text of the step under way was begun again. */
  let restarts = 0
  /** The calls that were told, and whether their outcomes were. */
  const outcomes = new Map<string, boolean>()

  async function begin(): Promise<void> {
    if (begun) return
    begun = true
    await sink(startPart(answer))
  }

  async function beginStep(): Promise<void> {
    await begin()
    if (!openStep) await sink({ type: 'start-step' })
    openStep = true
  }

  async function words(step: number, delta: string): Promise<void> {
    if (delta === '') return
    await beginStep()
    if (openText === undefined) await sink({ type: 'text-start', id: textId(step, restarts) })
    openText = step
    written += delta.length
    await sink({ type: 'text-delta', id: textId(step, restarts), delta })
  }

  async function endText(): Promise<void> {
    if (openText !== undefined) await sink({ type: 'text-end', id: textId(openText, restarts) })
    openText = undefined
    written = 0
  }

  /** Throws the error if there was no part before. */
  async function fail(error: CodedError): Promise<void> {
    if (!begun) throw error
    for (const part of failureParts(error)) await sink(part)
  }

  return {
    hasBegun: () => begun,

    /** Words of a step as they come. */
    words,

    /** Another process has asked the model of this step again: its text begins anew, as another part. */
    async restartText(): Promise<void> {
      await endText()
      restarts += 1
    },

    /** How much of the text of the step under way was written. */
    written: () => written,

    /** A step's text is complete, and its calls are known. */
    async step(step: number, text: string, calls: ToolCall[]): Promise<void> {
      // What was streamed is the beginning of what is recorded, unless a secret was divided in a way that only shows in the whole.
      await words(step, text.slice(written))
      await beginStep()
      await endText()
      for (const call of calls) {
        outcomes.set(call.id, false)
        await sink(callPart(call))
      }
    },

    /** Does nothing for an outcome that was told before. */
    async outcome(call: ToolCall): Promise<void> {
      if (outcomes.get(call.id)) return
      outcomes.set(call.id, true)
      await sink(outcomePart(call))
    },

    /** The calls that were told without an outcome. */
    untold: (): string[] => [...outcomes].flatMap(([id, isTold]) => (isTold ? [] : [id])),

    /** Ends an open text, too: a model may have said blanks before its answer was corrected. */
    async endStep(): Promise<void> {
      await endText()
      if (openStep) await sink({ type: 'finish-step' })
      openStep = false
      restarts = 0
    },

    approval: async (approval: Approval): Promise<void> => sink(approvalPart(approval)),

    /** Ends as an answer does that is over or waits. Throws the error of one that failed before its first part. */
    async end(ended: ChatAnswer): Promise<void> {
      if (ended.status === 'failed') return fail(errorOf(ended))
      await begin()
      await endText()
      await sink(ended.status === 'stopped' ? { type: 'abort' } : finishPart(ended))
    },

    fail,
  }
}

export type PartWriter = ReturnType<typeof createPartWriter>

const finishPart = (ended: ChatAnswer): ChatPart => ({
  type: 'finish',
  finishReason: finishOf(ended),
  messageMetadata: metadataOf(ended),
})

/** To clients, an answer that waits for approvals has ended with its calls. */
function finishOf({ status, finish }: ChatAnswer): Finish {
  if (status === 'waiting') return 'tool-calls'
  // No call waits, although the model may have said that it calls tools.
  return finish === 'tool-calls' ? 'stop' : ((finish ?? 'other') as Finish)
}

export const metadataOf = (answer: ChatAnswer): Metadata => ({
  sessionId: answer.sessionId,
  model: answer.model,
  usage: { inputTokens: answer.inputTokens, cachedTokens: answer.cachedTokens, outputTokens: answer.outputTokens },
  credits: answer.credits,
  costUsd: answer.costNanoUsd === null ? null : answer.costNanoUsd / 1e9,
})

/** The error that an answer has failed with. */
export const errorOf = ({ errorCode, errorMessage }: ChatAnswer): CodedError =>
  new CodedError(errorCode ?? 'INTERNAL_ERROR', { ...(errorMessage !== null && { message: errorMessage }) })
