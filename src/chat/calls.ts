import type { Approvals } from '../approvals/approvals.ts'
import type { Clock } from '../clock.ts'
import { retryWhileUnavailable, type Database } from '../database/database.ts'
import { hindranceOf, mayHaveActed, unsent, type CallEnding } from '../loop/call-endings.ts'
import { sessionContinues } from '../sessions/session-continues.ts'
import { reasonOf } from '../tools/direct-call.ts'
import type { Ledger, Sender, Sending, Sent } from '../tools/sender.ts'
import { ChatToolCall, recordedResult, statusAfter } from '../tools/tool-call.ts'

/** How long a call that was sent may go on when its answer is given up: most sites answer within that. */
const lingerMs = 2000
/** A call is sent once more if the site answers 401 and there is a newer credential. */
const maxRefused = 2

/** How long a call waits for a slot at its host: nobody looks at a still chat for a minute. */
const slotPatienceMs = 5000

/**
 * Only the process that writes the answer sends its calls. The lock makes a process that takes the answer up wait for
 * this statement, and so see what it has begun.
 */
const isWriter = `
  exists (select from chat_answers a
           where a.id = chat_tool_calls.answer_id and a.writer = ? and a.ended_at is null for share)`

/** Nothing is sent for a session that was ended, or whose user is kept out, although its answer may go on for a second. */
const sessionLives = `
  exists (select from chat_answers a join sessions s on s.id = a.session_id
           where a.id = chat_tool_calls.answer_id and ${sessionContinues})`

/** What a call is made with besides its row. */
export interface Calling {
  ownerId: string
  /** The process that writes the answer. */
  writer: string
  /** What must not be in its outcome, besides its own token. */
  secrets: string[]
  signal: AbortSignal
}

type Ending = Pick<ChatToolCall, 'status' | 'httpStatus' | 'result'>

/**
 * The tool calls of answers. A row says `started` before the first byte is sent, so that it is known after a crash that
 * the site may have acted. Then only calls to tools declared `read` or `idempotent` are sent again, under the same key.
 */
export function createChatCalls(context: {
  database: Database
  clock: Clock
  approvals: Pick<Approvals, 'ofCall' | 'expire' | 'withdraw'>
  sender: Sender
}) {
  const { database, clock, approvals, sender } = context

  /** The call, as far as nobody else has changed it. */
  const unchanged = ({ answerId, id, status, attempts }: ChatToolCall) =>
    ChatToolCall.query(database).where({ answerId, id, status, attempts })

  const ledgerOf = (call: ChatToolCall, { writer, signal }: Calling): Ledger => ({
    onRefreshed: async () => {},
    async onRefused(_outcome, refusedGeneration) {
      const refused = { refusedAttempts: call.refusedAttempts + 1, refusedGeneration }
      await unchanged(call).patch(refused)
      Object.assign(call, refused)
    },
    async begin() {
      signal.throwIfAborted()
      const begun = { status: 'started' as const, attempts: call.attempts + 1, startedAt: clock.now() }
      const beginning = unchanged(call).whereRaw(isWriter, [writer]).whereRaw(sessionLives).patch(begun)
      if ((await beginning) === 0) return false
      Object.assign(call, begun)
      return true
    },
  })

  async function send(call: ChatToolCall, sending: Omit<Sending, 'refusedGeneration'>, ledger: Ledger): Promise<Sent> {
    const sent = await sender.send({ ...sending, refusedGeneration: call.refusedGeneration }, ledger)
    return sent.kind === 'again' && call.refusedAttempts < maxRefused ? send(call, sending, ledger) : sent
  }

  /** An outcome is recorded by whoever has it; that there will be none, only by the writer of the answer. */
  function end(call: ChatToolCall, ending: Ending, writer?: string): Promise<number> {
    return retryWhileUnavailable(() => {
      const ended = unchanged(call).patch({ ...ending, endedAt: clock.now() })
      return writer === undefined ? ended : ended.whereRaw(isWriter, [writer])
    })
  }

  /** Ends a call that is not sent, or not again. Nobody need decide about it. */
  async function leave(call: ChatToolCall, { status, note: result }: CallEnding, { writer }: Calling): Promise<void> {
    const ended = await end(call, { status, httpStatus: null, result }, writer)
    if (ended === 0 || !call.asksFirst) return
    await database.transaction(async (trx) => {
      await approvals.expire(trx, call.id)
      await approvals.withdraw(trx, { callId: call.id })
    })
  }

  async function make(call: ChatToolCall, calling: Calling): Promise<void> {
    const { ownerId, secrets, signal } = calling
    const inDoubt = mayHaveActed(call)
    const lingering = lingerAfter(signal)
    const sent = await send(
      call,
      {
        callId: call.id,
        ownerId,
        entryId: call.vaultEntryId ?? '',
        tool: call.tool ?? '',
        arguments: call.arguments,
        idempotencyKey: `chat:${call.id}`,
        share: `${ownerId}/chat`,
        mayWait: false,
        patienceMs: slotPatienceMs,
        secrets,
        signal: lingering.signal,
      },
      ledgerOf(call, calling),
    ).finally(lingering.clear)
    if (sent.kind === 'answered') {
      const { outcome } = sent
      const status = statusAfter({ effect: call.effect, inDoubt }, outcome)
      await end(call, { status, httpStatus: outcome.httpStatus, result: recordedResult(outcome) })
      return
    }
    const { code, message } = reasonOf(sent, clock.now())
    await leave(call, unsent(call, `${code}: ${message}`), calling)
  }

  return {
    /**
     * Makes a call, or ends it if it must not be made. One that was started when its process stopped is made again if
     * that is safe. Does nothing for one that waits for approval, and for one of an answer that another process writes.
     */
    async perform(seen: ChatToolCall, calling: Calling): Promise<void> {
      const call = seen.$clone()
      const { asksFirst } = call
      const approval = asksFirst ? await approvals.ofCall(database, call.id) : undefined
      const permission = { asksFirst, asked: asksFirst, removed: false, gone: false }
      const hindrance = hindranceOf(call, permission, { approval, now: clock.now() })
      if (!hindrance) await make(call, calling)
      else if ('status' in hindrance) await leave(call, hindrance, calling)
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
