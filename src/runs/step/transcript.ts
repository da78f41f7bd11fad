import { raw } from 'objection'
import { jsonMark } from '../../database/any-text.ts'
import type { Database } from '../../database/database.ts'
import { shortenCall, shortening } from '../../models/prompt-size.ts'
import { maxResultBytes, type Transcript, type TranscriptCall, type TranscriptStep } from '../../models/prompt.ts'
import { ToolCall } from '../../tools/tool-call.ts'
import { unreadResult } from '../../tools/unread-result.ts'
import { inputOf, promptOf } from '../run-input.ts'
import { RunStep } from '../run-step.ts'
import type { Run } from '../run.ts'
import { readLeftOut } from './left-out.ts'

/** Everything that the model sees of a run, with the numbers of its steps. */
export interface RunTranscript extends Transcript {
  steps: (TranscriptStep & { step: number })[]
  /** Whether the agent wants a summary of what is left out. */
  summarizes: boolean
}

/**
 * Reads what the model sees of a run, from the record. Neither steps that are left out nor the whole of shortened
 * results are read: a run may have a thousand steps.
 */
export async function readTranscript(
  database: Database,
  run: Run,
  resultBytes: number = maxResultBytes,
): Promise<RunTranscript> {
  const input = await inputOf(database, run.id)
  const prompt = await promptOf(database, run, input?.payload ?? null)
  if (!prompt) throw new Error('a run was advanced before it was claimed')
  const [steps, called, leftOut] = await Promise.all([
    stepsOf(database, run),
    callsOf(database, run, resultBytes),
    readLeftOut(database, run, { ...prompt, summaryBytes: Math.min(resultBytes, maxSummaryBytes) }),
  ])
  const calls = Map.groupBy(called, ({ step }) => step)
  return {
    systemPrompt: prompt.systemPrompt,
    trigger: run.trigger,
    payload: input && readable(input.payload),
    headers: input?.headers ?? undefined,
    schema: prompt.schema ?? undefined,
    outputSchema: prompt.outputSchema ?? undefined,
    resultBytes,
    leftOut,
    steps: steps.map(({ step, answer, content, outcome, remark }) => ({
      step,
      text: answer,
      content,
      problem: outcome === null || outcome === 'summary' ? undefined : { kind: outcome, detail: remark },
      calls: (calls.get(step) ?? []).map((call) => toTranscriptCall(call, run)),
    })),
    summarizes: prompt.summarizes,
  }
}

/** Far more than is asked for. */
const maxSummaryBytes = 8 * 1024

/** An input that is a text is shown as that text. */
const readable = (payload: string): string => (payload.startsWith('"') ? String(JSON.parse(payload)) : payload)

/** Summaries stand in the opening, not among the steps. */
const stepsOf = (database: Database, { id: runId, leftOutThrough }: Run) =>
  RunStep.query(database)
    .where({ runId })
    .where('step', '>', leftOutThrough ?? 0)
    .whereRaw(`outcome is distinct from 'summary'`)
    .select('step', 'answer', 'content', 'outcome', 'remark')
    .orderBy('step')

/** A call with what the model sees of its result; `bytes` is the length of the whole one if that is only its beginning. */
type RecordedCall = ToolCall & { bytes: number | null; isShortened: boolean | null }

const callsOf = async (database: Database, { id: runId, shortenedThrough, leftOutThrough }: Run, resultBytes: number) =>
  (await ToolCall.query(database)
    .where({ runId })
    .where('step', '>', leftOutThrough ?? 0)
    .select('id', 'step', 'position', 'modelCallId', 'name', 'arguments', 'status')
    .select(...shownResult(shortenedThrough ?? 0, resultBytes))
    .orderBy(['step', 'position'])) as RecordedCall[]

/**
 * Models see only the beginning of a long result. Whole ones of up to fifty calls, a mebibyte each, would be read again
 * at every step. What is stored as JSON cannot be cut.
 */
function shownResult(shortenedThrough: number, resultBytes: number) {
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

function toTranscriptCall(call: RecordedCall, { shortenedThrough }: Run): TranscriptCall {
  const { status, modelCallId, name, arguments: given } = call
  if (status === 'planned' || status === 'started') throw new Error('the model was asked before a tool call had ended')
  const shown = { id: modelCallId ?? call.id, name, arguments: given, outcome: { status, ...resultOf(call) } }
  return call.step <= (shortenedThrough ?? 0) ? shortenCall(shown) : shown
}

/** A call that succeeded without a result had one that could not be read. */
function resultOf({ status, result, bytes, isShortened }: RecordedCall) {
  if (result === null) return { text: status === 'succeeded' ? unreadResult : '' }
  if (isShortened) return { text: result, shortened: true }
  return { text: result, ...(bytes !== null && { bytes }) }
}
