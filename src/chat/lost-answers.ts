import pMap from 'p-map'
import type { Database, Transaction } from '../database/database.ts'
import type { Billing } from '../billing/billing.ts'
import type { Clock } from '../clock.ts'
import type { ErrorCode } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Loop } from '../loop/loop.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { beatMs } from './beats.ts'
import { ChatAnswer } from './chat-answer.ts'
import { leaveAnswer } from './ending.ts'
import { leased, leaseSeconds, writerHasStopped } from './writer.ts'

/**
 * How long a lease must have been seen expired: after an outage of the database, living writers extend theirs first.
 */
const confirmMs = 1200
/** How soon the answer of a process that stands still may be taken up, in milliseconds. */
export const writerPatienceMs = leaseSeconds * 1000 - beatMs + confirmMs
/** An answer whose processes end again and again may be what kills them. */
export const mostTakeovers = 5
/** How many are taken at a time, in random order: several processes share those of one that died. */
const concurrency = 4

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
export function createLostAnswers(context: {
  database: Database
  clock: Clock
  billing: Pick<Billing, 'credits'>
  loop: Pick<Loop, 'settleCalls'>
  metrics: Pick<Metrics, 'chatAnswersEnded'>
}) {
  const { database } = context
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
      if (answer.onDisconnect === 'cancel') return end(trx, answer, 'STREAM_ABORTED', readerIsGone)
      if (answer.takeovers >= mostTakeovers) return end(trx, answer, 'INTERNAL_ERROR', writerHasStopped)
      const writer = newId()
      const changes = { writer, takeovers: answer.takeovers + 1 }
      await ChatAnswer.query(trx)
        .findById([answer.sessionId, answer.number])
        .patch({ ...changes, writerUntil: leased() })
      return { answer: Object.assign(answer, changes), writer }
    })

  async function end(trx: Transaction, answer: ChatAnswer, errorCode: ErrorCode, errorMessage: string) {
    await leaveAnswer(trx, context, answer, { status: 'failed', errorCode, errorMessage })
    return undefined
  }

  return {
    /** Ends what is lost, or takes it up, and hands each answer to `write` at once: its lease has begun. */
    async takeUp(write: (taken: Taken) => Promise<void>, isEnding: () => boolean): Promise<void> {
      await pMap(
        await confirmed(),
        async (one) => {
          const taken = isEnding() ? undefined : await take(one)
          if (taken) await write(taken)
        },
        { concurrency },
      )
    },
  }
}

const keyOf = ({ id, writer }: Found): string => `${id} ${writer}`

const readerIsGone = 'The connection to the server that wrote this answer broke before the answer ended.'

/**
 * An answer with a reader is left to its process longer: that may only be slow, and its reader would lose the answer.
 * Each look finds the same thousand, those that were lost first: an answer has to be seen twice.
 */
const expiredStatement = `
  select * from (
    select id, writer, writer is null as "isReleased" from chat_answers
     where status in ('queued', 'running')
       and (writer_until is null
            or writer_until < now() - case on_disconnect when 'cancel' then interval '12 seconds' else interval '0' end)
     order by writer_until nulls first, id limit 1000
  ) lost order by random()`
