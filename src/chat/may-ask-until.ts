import { later } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Transaction } from '../database/database.ts'
import { Session } from '../sessions/session.ts'
import type { ChatAnswer } from './chat-answer.ts'

/** Until when an answer can wait for a person. Nobody could read it after the end of its session. */
export async function mayAskUntil(
  trx: Transaction,
  { budgets }: Pick<Config, 'budgets'>,
  { sessionId }: Pick<ChatAnswer, 'sessionId'>,
  now: Date,
): Promise<Date> {
  const { expiresAt: end } = await Session.query(trx).findById(sessionId).throwIfNotFound()
  const latest = later(now, budgets.waitSeconds)
  return end < latest ? end : latest
}
