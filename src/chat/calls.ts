import { setTimeout as delay } from 'node:timers/promises'
import { answerIn } from '../approvals/approval.ts'
import type { Approvals } from '../approvals/approvals.ts'
import { later, type Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { retryWhileUnavailable, type Database } from '../database/database.ts'
import { endingUnsent, hindranceOf, type CallEnding, type Hindrance } from '../loop/call-endings.ts'
import { asSeen, createCallLedger, type Fence } from '../loop/call-ledger.ts'
import { endCall } from '../loop/close-calls.ts'
import type { Loop } from '../loop/loop.ts'
import type { CallLedger } from '../loop/perform-call.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { sessionContinues } from '../sessions/session-continues.ts'
import { mostWorkSeconds } from '../tools/job.ts'
import { sendingOf } from '../tools/sending.ts'
import { ToolCall } from '../tools/tool-call.ts'
import { reasonOf } from '../tools/unsent-reason.ts'
import { ChatAnswer } from './chat-answer.ts'
import { mayAskUntil } from './may-ask-until.ts'

/** How long a call that was sent may go on when its answer is given up: most sites answer within that. */
const lingerMs = 2000
/** A call is sent once more if the site answers 401 and there is a newer credential. */
const maxRefused = 1

/** How long a call waits for a slot at its host: nobody looks at a still chat for a minute. */
const slotPatienceMs = 5000

/**
 * Only the process that writes the answer sends its calls. The lock makes a process that takes the answer up wait for
 * this statement, and so see what it has begun.
 */
const isWriter = `
  exists (select from chat_answers a
           where a.id = tool_calls.subject_id and a.writer = ? and a.ended_at is null for share)`

/**
 * Nothing is sent for a session that was ended, or whose user is kept out, although its answer may go on for a second.
 */
const sessionLives = `
  exists (select from chat_answers a join sessions s on s.id = a.session_id
           where a.id = tool_calls.subject_id and ${sessionContinues})`

/** What a call is made with besides its row. */
export interface Calling {
  ownerId: string
  /** The process that writes the answer. */
  writer: string
  /** What must not be in its outcome, besides its own token. */
  secrets: string[]
  signal: AbortSignal
}

/**
 * The tool calls of answers. A row says `started` before the first byte is sent, so that it is known after a crash that
 * the site may have acted. Then only calls to tools declared `read` or `idempotent` are sent again, under the same key.
 */
export function createChatCalls(context: {
  database: Database
  clock: Clock
  config: Pick<Config, 'budgets'>
  approvals: Pick<Approvals, 'ofCall' | 'expire' | 'request'>
  loop: Pick<Loop, 'performCall' | 'settleCalls'>
  metrics: Pick<Metrics, 'toolCalls'>
}) {
  const { database, clock, config, loop, approvals, metrics } = context

  /**
   * An outcome is recorded by whoever has it; that a call is sent, or will not be, only by the writer of the answer.
   */
  const fenceOf = (calling: Calling): Fence => ({
    change: async (seen, changes) => (await asSeen(database, seen).patch(changes)) > 0,

    async begin(seen, changes) {
      calling.signal.throwIfAborted()
      const beginning = asSeen(database, seen).whereRaw(isWriter, [calling.writer]).whereRaw(sessionLives)
      if ((await beginning.patch(changes)) > 0) return true
      await leave(seen, endingUnsent(seen, 'The call was not made.'), calling)
      return false
    },

    ask: (seen, changes, question) =>
      database.transaction(async (trx) => {
        // Its end, which closes its calls, locks the answer, too.
        const answer = await ChatAnswer.query(trx).findOne({ id: seen.subjectId }).forShare()
        if (!answer || answer.endedAt) return true
        const expiresAt = await mayAskUntil(trx, { budgets: config.budgets }, answer, clock.now())
        if (expiresAt <= clock.now()) return false
        if ((await asSeen(trx, seen).patch(changes(expiresAt))) === 0) return true
        const { id: answerId, sessionId, ownerId } = answer
        const of = { sessionId, answerId }
        await approvals.request(trx, { ownerId, of, asker: 'A chat', calls: [question], expiresAt })
        return true
      }),

    // The answer has a limit of its own.
    mayWaitUntil: async () => later(clock.now(), mostWorkSeconds),
  })

  /** Ends a call that is not sent, or not again. */
  const leave = (call: ToolCall, ending: CallEnding, { writer, ownerId }: Calling): Promise<void> =>
    retryWhileUnavailable(() =>
      database.transaction(async (trx) => {
        const answer = ChatAnswer.query(trx).findOne({ id: call.subjectId, writer }).whereNull('endedAt')
        if (!(await answer.select('id').forShare())) return
        const { ended } = await endCall(trx, approvals, call, ending, clock.now())
        if (ended) loop.settleCalls(trx, { ownerId, calls: [ended] })
      }),
    )

  async function hindranceNow(call: ToolCall): Promise<Hindrance | undefined> {
    const approval = call.asksFirst ? await approvals.ofCall(database, call.id) : undefined
    return hindranceOf(call, { asksFirst: false, removed: false, gone: false }, { approval, now: clock.now() })
  }

  const ledgerOf = (call: ToolCall, calling: Calling, signal: AbortSignal): CallLedger<ToolCall> => {
    const { ownerId, secrets } = calling
    const whose = { ownerId, share: `${ownerId}/chat`, secrets, signal }
    const sending = { ...whose, idempotencyKey: `chat:${call.id}`, mayWait: false, patienceMs: slotPatienceMs }
    const ledger = createCallLedger(fenceOf(calling), { clock, maxRefused, metrics })
    return {
      maxRefused,
      job: ledger,
      begin: (seen) => ledger.begin(seen),
      ask: (seen, outcome) => ledger.ask(seen, outcome),
      // Without `fail`: people wait, and their model asks again.
      finish: (seen, outcome) => ledger.finish(seen, outcome),
      refuse: (seen, outcome, generation) => ledger.refuse(seen, outcome, generation),
      async look() {
        const hindrance = await hindranceNow(call)
        if (hindrance && 'status' in hindrance) await leave(call, hindrance, calling)
        if (hindrance) return undefined
        const approval = call.forms > 0 ? await approvals.ofCall(database, call.id) : undefined
        return { call, sending: sendingOf(call, { ...sending, answer: approval && answerIn(approval) }) }
      },
      refreshed: async () => {},
      async unsent(_call, sent) {
        const { code, message } = reasonOf(sent, clock.now())
        await leave(call, endingUnsent(call, `${code}: ${message}`), calling)
      },
    }
  }

  /** A call that its site works on, at the time when the site is asked next; undefined if there is nothing to ask. */
  async function whenAskedAgain({ subjectId, id }: ToolCall, signal: AbortSignal): Promise<ToolCall | undefined> {
    const call = await ToolCall.query(database).findOne({ subjectId, id })
    if (!call?.job || call.status !== 'started') return undefined
    await delay(Math.max(0, Number(call.notBefore) - clock.now().getTime()), undefined, { signal })
    return call
  }

  return {
    /**
     * Makes a call, or ends it if it must not be made. Waits for the end of one that its site works on: until the
     * answer is given up, or another process takes it up and waits in its place. One that was started when its process
     * stopped is made again if that is safe. Does nothing for one that waits for approval, and for one of an answer
     * that another process writes.
     */
    async perform(seen: ToolCall, calling: Calling): Promise<void> {
      let call: ToolCall | undefined = seen.$clone()
      while (call) {
        const { signal, clear } = lingerAfter(calling.signal)
        await loop.performCall(ledgerOf(call, calling, signal)).finally(clear)
        call = await whenAskedAgain(seen, calling.signal)
      }
    },
  }
}

/** Aborts some time after the other signal, with its reason. */
function lingerAfter(signal: AbortSignal) {
  const late = new AbortController()
  let patience: NodeJS.Timeout | undefined
  const wait = () => {
    patience = setTimeout(() => late.abort(signal.reason), lingerMs)
  }
  if (signal.aborted) late.abort(signal.reason)
  else signal.addEventListener('abort', wait, { once: true })
  const clear = () => {
    clearTimeout(patience)
    signal.removeEventListener('abort', wait)
  }
  return { signal: late.signal, clear }
}
