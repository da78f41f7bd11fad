import type { Database } from '../database/database.ts'
import { Run } from '../runs/run.ts'
import { RunStep } from '../runs/run-step.ts'

/** Of the answer in a callback; the timeline has all of it. */
const mostAnswerBytes = 32 * 1024

/**
 * What is posted of a run that has ended (docs/api.md, "Being told"). An ended run never changes, so it is the same at
 * each attempt. Throws for a run that is not there.
 */
export async function readEnding(database: Database, runId: string): Promise<string> {
  const run = await Run.query(database).findById(runId).throwIfNotFound()
  const last = await RunStep.query(database).where({ runId }).orderBy('step', 'desc').first().select('answer')
  const { id, agentId, sequence, trigger, status, reason, error, replayOf } = run
  const { acceptedAt, startedAt, endedAt, steps, toolCalls, credits } = run
  const about = { runId: id, agentId, sequence, trigger, status, reason, error, replayOf }
  const counts = { steps, toolCalls, credits }
  const data = { ...about, acceptedAt, startedAt, endedAt, ...counts, ...answerOf(last?.answer.text) }
  return JSON.stringify({ type: `run.${status}`, timestamp: endedAt, data })
}

/** Cuts between characters: a byte 10xxxxxx continues the character before it (RFC 3629, section 3). */
export function answerOf(text = ''): { answer: string | null; answerCut: boolean } {
  const bytes = Buffer.from(text)
  if (bytes.length <= mostAnswerBytes) return { answer: text === '' ? null : text, answerCut: false }
  let end = mostAnswerBytes
  while (((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end -= 1
  return { answer: bytes.subarray(0, end).toString(), answerCut: true }
}
