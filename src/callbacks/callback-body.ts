import type { Database } from '../database/database.ts'
import { JsonText, writeJson } from '../json-text.ts'
import { Run } from '../runs/run.ts'
import { Step } from '../loop/step.ts'

/** Callbacks cut longer answers; the timeline does not. */
const maxAnswerBytes = 32 * 1024

/**
 * The request body for an ended run (docs/how-to/callbacks.md). An ended run never changes, so each attempt sends the
 * same body. Throws if the run does not exist.
 */
export async function readCallbackBody(database: Database, runId: string): Promise<string> {
  const run = await Run.query(database).findById(runId).throwIfNotFound()
  const last = await Step.query(database)
    .where({ subjectId: runId })
    .orderBy('step', 'desc')
    .first()
    .select('answer', 'output')
  const { id, agentId, sequence, trigger, status, reason, error, replayOf } = run
  const { acceptedAt, startedAt, endedAt, steps, toolCalls, credits } = run
  const about = { runId: id, agentId, sequence, trigger, status, reason, error, replayOf }
  const counts = { steps, toolCalls, credits }
  const output = status === 'completed' && last?.output ? new JsonText(last.output) : null
  const data = { ...about, acceptedAt, startedAt, endedAt, ...counts, ...answerOf(last?.answer), output }
  return writeJson({ type: `run.${status}`, timestamp: endedAt, data })
}

/** Cuts between characters: a byte 10xxxxxx continues the character before it (RFC 3629, section 3). */
export function answerOf(text = ''): { answer: string | null; answerCut: boolean } {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxAnswerBytes) return { answer: text === '' ? null : text, answerCut: false }
  let end = maxAnswerBytes
  while (((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1
  return { answer: bytes.subarray(0, end).toString(), answerCut: true }
}
