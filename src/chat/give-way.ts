import type { Clock } from '../clock.ts'
import type { Transaction } from '../database/database.ts'
import { ChatAnswer } from './chat-answer.ts'
import { closeUnsent } from './close-calls.ts'

/** Which answers: all of a session, or one. */
type Match = { sessionId: string } | { sessionId: string; id: string }

/**
 * Ends answers that wait for approval, without the calls that they wait for: another message takes their place
 * (`completed`), or somebody has stopped them or ended the session (`stopped`). Returns how many there were.
 */
export async function giveWay(
  trx: Transaction,
  clock: Clock,
  match: Match,
  status: 'completed' | 'stopped',
): Promise<number> {
  const waiting = await ChatAnswer.query(trx)
    .where({ ...match, status: 'waiting' })
    .orderBy('number')
    .forUpdate()
  const now = clock.now()
  for (const { id, sessionId, number } of waiting) {
    await closeUnsent(trx, id, now, status === 'completed' ? 'replaced' : 'ended')
    const finish = status === 'completed' ? { finish: 'other' } : {}
    const changes = { status, ...finish, endedAt: now, waitingSince: null }
    await ChatAnswer.query(trx).findById([sessionId, number]).patch(changes)
  }
  return waiting.length
}
