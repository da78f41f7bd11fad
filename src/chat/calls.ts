import { isAsShown, type Approval } from '../approvals/approval.ts'
import type { Approvals } from '../approvals/approvals.ts'
import type { Clock } from '../clock.ts'
import { retryWhileUnavailable, type Database } from '../database/database.ts'
import { unapprovedSentences } from '../models/prompt-format.ts'
import { sessionContinues } from '../sessions/session-continues.ts'
import { reasonOf } from '../tools/direct-call.ts'
import type { Ledger, Sender, Sending, Sent } from '../tools/sender.ts'
import { ChatToolCall, recordedResult, statusAfter } from '../tools/tool-call.ts'

/** How long a call that was sent may go on when its answer is given up: most sites answer within that. */
const lingerMs = 2000
/** A call is sent once more if the site answers 401 and there is a newer credential. */
const maxAttempts = 2

/** How long a call waits for a slot at its host: nobody looks at a still chat for a minute. */
const slotPatienceMs = 5000

/** Nothing is sent for a session that was ended, or whose user is kept out, although its answer may go on for a second. */
const sessionLives = `
  exists (select from chat_answers a join sessions s on s.id = a.session_id
           where a.id = chat_tool_calls.answer_id and ${sessionContinues})`

const tampered = 'The call was not made because it differs from the call that was approved.'

/** What a call is made with besides its row. */
export interface Calling {
  ownerId: string
  /** What must not be in its outcome, besides its own token. */
  secrets: string[]
  signal: AbortSignal
}

/**
 * The tool calls of answers. A row says `started` before the first byte is sent, so that it is known after a crash that
 * the site may have acted; nothing is sent again then, because nobody waits for it any more.
 */
export function createChatCalls(context: {
  database: Database
  clock: Clock
  approvals: Pick<Approvals, 'ofCall' | 'expire'>
  sender: Sender
}) {
  const { database, clock, approvals, sender } = context

  const patch = (call: ChatToolCall, status: ChatToolCall['status'][], changes: Partial<ChatToolCall>) =>
    ChatToolCall.query(database)
      .where({ answerId: call.answerId, id: call.id })
      .whereIn('status', status)
      .patch(changes)

  function ledgerOf(
    call: ChatToolCall,
    signal: AbortSignal,
  ): Ledger & { attempts: () => number; refused: () => number | null } {
    let attempts = 0
    let refused: number | null = null
    return {
      attempts: () => attempts,
      refused: () => refused,
      onRefreshed: async () => {},
      async onRefused(_outcome, refusedGeneration) {
        refused = refusedGeneration
        await patch(call, ['started'], { refusedAttempts: attempts, refusedGeneration })
      },
      async begin() {
        signal.throwIfAborted()
        attempts += 1
        const begun = { status: 'started' as const, attempts, startedAt: clock.now() }
        const living = patch(call, attempts === 1 ? ['planned'] : ['started'], begun).whereRaw(sessionLives)
        return (await living) === 1
      },
    }
  }

  async function send(sending: Sending, ledger: ReturnType<typeof ledgerOf>): Promise<Sent> {
    const sent = await sender.send(sending, ledger)
    if (sent.kind !== 'again' || ledger.attempts() >= maxAttempts) return sent
    return send({ ...sending, refusedGeneration: ledger.refused() }, ledger)
  }

  async function end(
    call: ChatToolCall,
    changes: Pick<ChatToolCall, 'status' | 'httpStatus' | 'result'>,
  ): Promise<void> {
    const work = async () => void (await patch(call, ['planned', 'started'], { ...changes, endedAt: clock.now() }))
    await retryWhileUnavailable(work)
  }

  const refuse = (call: ChatToolCall, result: string) => end(call, { status: 'failed', httpStatus: null, result })

  /** Why the call is not made; null if it may be made now, undefined if nobody has decided yet. */
  function refusalOf(call: ChatToolCall, approval: Approval | undefined): string | null | undefined {
    if (!call.asksFirst) return null
    if (!approval || approval.status === 'pending') return undefined
    if (approval.status === 'approved') return isAsShown(approval, call) ? null : tampered
    const said = unapprovedSentences[approval.status]
    return approval.note === null ? said : `${said} Their note: ${JSON.stringify(approval.note)}`
  }

  async function make(call: ChatToolCall, { ownerId, secrets, signal }: Calling): Promise<void> {
    const ledger = ledgerOf(call, signal)
    const lingering = lingerAfter(signal)
    const sent = await send(
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
        refusedGeneration: null,
        secrets,
        signal: lingering.signal,
      },
      ledger,
    ).finally(lingering.clear)
    if (sent.kind === 'answered') {
      const { outcome } = sent
      return end(call, {
        status: statusAfter(call, outcome),
        httpStatus: outcome.httpStatus,
        result: recordedResult(outcome),
      })
    }
    const { code, message } = reasonOf(sent, clock.now())
    return refuse(call, `${code}: ${message}`)
  }

  return {
    /** Makes a planned call, or ends it if it must not be made. Does nothing for one that waits for approval. */
    async perform(call: ChatToolCall, calling: Calling): Promise<void> {
      const approval = call.asksFirst ? await approvals.ofCall(database, call.id) : undefined
      const refusal = refusalOf(call, approval)
      if (refusal === null) await make(call, calling)
      else if (refusal !== undefined) await refuse(call, refusal)
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
