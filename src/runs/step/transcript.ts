import { raw } from 'objection'
import { jsonMark } from '../../database/any-text.ts'
import type { Database } from '../../database/database.ts'
import { maxResultBytes, type Transcript, type TranscriptCall } from '../../models/prompt.ts'
import { ToolCall } from '../../tools/tool-call.ts'
import { unreadResult } from '../../tools/unread-result.ts'
import { inputOf, promptOf } from '../run-input.ts'
import { RunStep } from '../run-step.ts'
import type { Run } from '../run.ts'

/** Everything that the model sees of a run, from the record. */
export async function readTranscript(database: Database, run: Run): Promise<Transcript> {
  const input = await inputOf(database, run.id)
  const prompt = await promptOf(database, run, input?.payload ?? null)
  if (!prompt) throw new Error('a run was advanced before it was claimed')
  const steps = await RunStep.query(database).where({ runId: run.id }).orderBy('step')
  const calls = (await ToolCall.query(database)
    .where({ runId: run.id })
    .select('id', 'step', 'position', 'modelCallId', 'name', 'arguments', 'status', shownResult, wholeBytes)
    .orderBy(['step', 'position'])) as RecordedCall[]
  return {
    systemPrompt: prompt.systemPrompt,
    trigger: run.trigger,
    payload: input && readable(input.payload),
    headers: input?.headers ?? undefined,
    schema: prompt.schema ?? undefined,
    outputSchema: prompt.outputSchema ?? undefined,
    steps: steps.map(({ step, answer, content, outcome, remark }) => ({
      text: answer,
      content,
      problem: outcome === null || outcome === 'summary' ? undefined : { kind: outcome, detail: remark },
      calls: calls.filter((call) => call.step === step).map(toTranscriptCall),
    })),
  }
}

/** An input that is a text is shown as that text. */
const readable = (payload: string): string => (payload.startsWith('"') ? String(JSON.parse(payload)) : payload)

/** A call with what the model sees of its result; `bytes` is the length of the whole one if that is only its beginning. */
type RecordedCall = ToolCall & { bytes: number | null }

/**
 * Models see only the beginning of a long result. Whole ones of up to fifty calls, a mebibyte each, would be read again
 * at every step. What is stored as JSON cannot be cut.
 */
const isCut = 'octet_length(result) > :most and left(result, 1) <> :mark'
const cutting = { most: maxResultBytes + 1, mark: jsonMark }
const shownResult = raw(`case when ${isCut} then left(result, :most) else result end as result`, cutting)
const wholeBytes = raw(`case when ${isCut} then octet_length(result) end as bytes`, cutting)

function toTranscriptCall(call: RecordedCall): TranscriptCall {
  const { status, modelCallId, name, arguments: given } = call
  if (status === 'planned' || status === 'started') throw new Error('the model was asked before a tool call had ended')
  return { id: modelCallId ?? call.id, name, arguments: given, outcome: { status, ...resultOf(call) } }
}

/** A call that succeeded without a result had one that could not be read. */
const resultOf = ({ status, result, bytes }: RecordedCall) =>
  result === null
    ? { text: status === 'succeeded' ? unreadResult : '' }
    : { text: result, ...(bytes !== null && { bytes }) }
