import type { Database, Transaction } from '../database/database.ts'
import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import type { ErrorCode } from '../errors.ts'
import { newId } from '../ids.ts'
import { closeCalls } from '../loop/close-calls.ts'
import { ChatAnswer } from './chat-answer.ts'
import { forgetWords } from './ending.ts'
import { leased, writerHasStopped } from './writer.ts'

/** How long a lease must have been seen expired: after an outage of the database, living writers extend theirs first. */
const confirmMs = 1200
/** An answer whose processes end again and again may be what kills them. */
const mostTakeovers = 5
/** The most answers that one process takes in a round, so that several share those of a process that died. */
const mostPerRound = 20

/** An answer without a writer, or whose writer's lease has expired. */
interface Found {
  id: string
  writer: string | null
  isReleased: boolean
}

/** An answer that this process writes from now on. */
export interface Taken {
  answer: ChatAnswer
  writer: string
}

/**
 * Finds answers whose process is gone. Those that go on without a reader are taken up from their last recorded step;
 * the others end, because nobody reads them any more.
 */
export function createLostAnswers(context: { database: Database; clock: Clock; billing: Pick<Billing, 'credits'> }) {
  const { database, clock, billing } = context
  /** When an expired lease was first seen, by its answer and writer. */
  let seen = new Map<string, number>()

  async function confirmed(): Promise<Found[]> {
    const { rows } = await database.raw<{ rows: Found[] }>(expiredStatement)
    const now = performance.now()
    const before = seen
    seen = new Map(rows.map((row) => [keyOf(row), before.get(keyOf(row)) ?? now]))
    return rows.filter((row) => row.isReleased || now - (seen.get(keyOf(row)) ?? now) >= confirmMs)
  }

  /** Undefined if it is not this process's to write: it has ended now, or its writer is alive after all. */
  const take = ({ id, writer: lost }: Found): Promise<Taken | undefined> =>
    database.transaction(async (trx) => {
      const answer = await ChatAnswer.query(trx)
        .findOne({ id, writer: lost })
        .whereIn('status', ['queued', 'running'])
        .whereRaw('(writer_until is null or writer_until < now())')
        .forUpdate()
        .skipLocked()
      if (!answer) return undefined
      if (answer.onDisconnect === 'cancel') return end(trx, answer, { code: 'STREAM_ABORTED', message: readerIsGone })
      if (answer.takeovers >= mostTakeovers)
        return end(trx, answer, { code: 'INTERNAL_ERROR', message: writerHasStopped })
      const writer = newId()
      const changes = { writer, takeovers: answer.takeovers + 1 }
      await ChatAnswer.query(trx)
        .findById([answer.sessionId, answer.number])
        .patch({ ...changes, writerUntil: leased() })
      return { answer: Object.assign(answer, changes), writer }
    })

  async function end(trx: Transaction, answer: ChatAnswer, failure: { code: ErrorCode; message: string }) {
    const { id, sessionId, number } = answer
    const now = clock.now()
    await closeCalls(trx, { kind: 'answer', id }, now)
    if (failure.code === 'STREAM_ABORTED') await forgetWords(trx, id)
    await billing.credits.release(trx, id)
    const failed = { status: 'failed' as const, errorCode: failure.code, errorMessage: failure.message }
    const ended = { ...failed, endedAt: now, writer: null, writerUntil: null }
    await ChatAnswer.query(trx).findById([sessionId, number]).patch(ended)
    return undefined
  }

  return {
    /** Ends or takes up what is lost. Returns what this process has to write now. */
    async takeUp(): Promise<Taken[]> {
      const found = (await confirmed()).slice(0, mostPerRound)
      const taken: Taken[] = []
      for (const one of found) {
        const mine = await take(one)
        if (mine) taken.push(mine)
      }
      return taken
    },
  }
}

const keyOf = ({ id, writer }: Found): string => `${id} ${writer}`

const readerIsGone = 'The connection to the server that wrote this answer broke before the answer ended.'

/**
 * An answer with a reader is left to its process longer: that may only be slow, and its reader would lose the answer.
 * In random order, because every process looks for them.
 */
const expiredStatement = `
  select id, writer, writer is null as "isReleased" from chat_answers
   where status in ('queued', 'running')
     and (writer_until is null
          or writer_until < now() - case on_disconnect when 'cancel' then interval '12 seconds' else interval '0' end)
   order by random() limit 200`
