import type { Database } from '../../database/database.ts'
import type { Transcript, TranscriptCall } from '../../models/prompt.ts'
import { ToolCall } from '../../tools/tool-call.ts'
import { inputOf, promptOf } from '../run-input.ts'
import { RunStep } from '../run-step.ts'
import type { Run } from '../run.ts'

/** Everything that the model sees of a run, from the record. */
export async function readTranscript(database: Database, run: Run): Promise<Transcript> {
  const input = await inputOf(database, run.id)
  const prompt = await promptOf(database, run, input?.payload ?? null)
  if (!prompt) throw new Error('a run was advanced before it was claimed')
  const steps = await RunStep.query(database).where({ runId: run.id }).orderBy('step')
  const calls = await ToolCall.query(database).where({ runId: run.id }).orderBy(['step', 'position'])
  return {
    systemPrompt: prompt.systemPrompt,
    trigger: run.trigger,
    payload: input && readable(input.payload),
    headers: input?.headers ?? undefined,
    schema: prompt.schema ?? undefined,
    steps: steps.map(({ step, answer }) => ({
      text: answer,
      calls: calls.filter((call) => call.step === step).map(toTranscriptCall),
    })),
  }
}

/** An input that is a text is shown as that text. */
const readable = (payload: string): string => (payload.startsWith('"') ? String(JSON.parse(payload)) : payload)

function toTranscriptCall(call: ToolCall): TranscriptCall {
  const { status, modelCallId, name, arguments: given, result } = call
  if (status === 'planned' || status === 'started') throw new Error('the model was asked before a tool call had ended')
  return { id: modelCallId ?? call.id, name, arguments: given, outcome: { status, text: result ?? '' } }
}
