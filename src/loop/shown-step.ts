import { raw } from 'objection'
import { jsonMark } from '../database/any-text.ts'
import { shortenCall, shortening } from '../models/prompt-size.ts'
import type { TranscriptCall } from '../models/prompt.ts'
import type { ToolCall } from '../tools/tool-call.ts'
import { unreadResult } from '../tools/unread-result.ts'
import type { StepOutcome } from './judge.ts'
import type { ShownStep } from './transcript-step.ts'

/** What is read of a step. */
interface RecordedStep {
  step: number
  answer: string
  content: string | null
  outcome: StepOutcome
  remark: string | null
}

/** What is read of a call; `bytes` is the length of the whole result if `result` is only its beginning. */
export type RecordedCall = Pick<
  ToolCall,
  'id' | 'step' | 'modelCallId' | 'name' | 'arguments' | 'status' | 'result'
> & { bytes?: number | null; isShortened?: boolean | null }

/** A step with its calls. All of them are over. */
export const shownStep = (
  { step, answer, content, outcome, remark }: RecordedStep,
  calls: RecordedCall[],
  shortenedThrough: number,
): ShownStep => ({
  step,
  text: answer,
  content,
  problem: outcome === null || outcome === 'summary' ? undefined : { kind: outcome, detail: remark },
  calls: calls.map((call) => shownCall(call, shortenedThrough)),
})

function shownCall(call: RecordedCall, shortenedThrough: number): TranscriptCall {
  const { status, modelCallId, name, arguments: given } = call
  if (status === 'planned' || status === 'started') throw new Error('the model was asked before a tool call had ended')
  const shown = { id: modelCallId ?? call.id, name, arguments: given, outcome: { status, ...resultOf(call) } }
  return call.step <= shortenedThrough ? shortenCall(shown) : shown
}

/** A call that succeeded without a result had one that could not be read. */
function resultOf({ status, result, bytes = null, isShortened }: RecordedCall) {
  if (result === null) return { text: status === 'succeeded' ? unreadResult : '' }
  if (isShortened) return { text: result, shortened: true }
  return { text: result, ...(bytes !== null && { bytes }) }
}

/**
 * Columns of a call: of a long result, only the beginning that models see. Whole ones of up to fifty calls, a mebibyte
 * each, would be read again at every step. What is stored as JSON cannot be cut.
 */
export function shownResult(shortenedThrough: number, resultBytes: number) {
  const isText = 'left(result, 1) <> :mark'
  const isShortened = `step <= :shortenedThrough and octet_length(result) > :above and ${isText}`
  const isCut = `octet_length(result) > :most and ${isText}`
  const bindings = {
    shortenedThrough,
    above: shortening.aboveBytes,
    beginning: shortening.toCharacters,
    most: resultBytes + 1,
    mark: jsonMark,
  }
  const shown = `case when ${isShortened} then left(result, :beginning) when ${isCut} then left(result, :most) else result end`
  return [
    raw(`${shown} as result`, bindings),
    raw(`case when ${isCut} then octet_length(result) end as bytes`, bindings),
    raw(`(${isShortened}) as is_shortened`, bindings),
  ]
}
