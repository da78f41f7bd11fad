import type { Clock } from '../clock.ts'
import { afterCommit } from '../database/after-commit.ts'
import type { Transaction } from '../database/database.ts'
import { replaced } from '../loop/call-endings.ts'
import { closeCalls } from '../loop/close-calls.ts'
import type { Loop } from '../loop/loop.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { ChatAnswer } from './chat-answer.ts'

/** Which answers: all of a session, or one. */
type Match = { sessionId: string } | { sessionId: string; id: string }

interface GiveWayContext {
  clock: Clock
  loop: Pick<Loop, 'settleCalls'>
  metrics: Pick<Metrics, 'chatAnswersEnded'>
}

/**
 * Ends answers that wait for approval, without the calls that they wait for: another message takes their place
 * (`completed`), or somebody has stopped them or ended the session (`stopped`). Returns how many there were.
 */
export async function giveWay(
  trx: Transaction,
  { clock, loop, metrics }: GiveWayContext,
  match: Match,
  status: 'completed' | 'stopped',
): Promise<number> {
  const waiting = await ChatAnswer.query(trx)
    .where({ ...match, status: 'waiting' })
    .orderBy('number')
    .forUpdate()
  const now = clock.now()
  for (const { id, sessionId, number, ownerId } of waiting) {
    const ending = status === 'completed' ? { endingOf: replaced } : {}
    const calls = await closeCalls(trx, { kind: 'answer', id }, now, { statuses: ['planned'], ...ending })
    loop.settleCalls(trx, { ownerId, calls })
    const finish = status === 'completed' ? { finish: 'other' } : {}
    const changes = { status, ...finish, endedAt: now, waitingSince: null }
    await ChatAnswer.query(trx).findById([sessionId, number]).patch(changes)
  }
  afterCommit(trx, () => metrics.chatAnswersEnded.inc({ status, code: '' }, waiting.length))
  return waiting.length
}
