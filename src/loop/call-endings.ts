import { isAsShown, type Approval } from '../approvals/approval.ts'
import type { CallOutcome } from '../tools/call-outcome.ts'
import type { ToolCall } from '../tools/tool-call.ts'

/** How often a call is sent if the site declares it safe to repeat. */
const maxAttempts = 3

/** The ending of a call that is no longer sent. */
export interface CallEnding {
  status: 'failed' | 'unknown'
  note: string
}

/** What keeps a call from being sent: it ends so, or it waits until then. */
export type Hindrance = CallEnding | { waitsUntil: Date }

/** What the record says about whether a call may be sent. */
export interface Permission {
  removed: boolean
  /** Its tool needs an approval by now. */
  asksFirst: boolean
  /** Its site is no longer in the vault. */
  gone: boolean
}

/** What is known of the attempts at a call. Direct calls are in doubt only while they are started. */
export type Attempted = Pick<ToolCall, 'status' | 'effect' | 'attempts' | 'refusedAttempts'> &
  Partial<Pick<ToolCall, 'inDoubt' | 'forms' | 'job'>>

/** `asksFirst`: somebody was asked to approve it. */
type Approvable = Attempted & Pick<ToolCall, 'asksFirst'> & Parameters<typeof isAsShown>[1]

const removed = 'The call was not made because the owner removed the tool or its site from the agent.'
const removedInDoubt =
  'An earlier attempt ended without a usable response. The call was not retried because the owner removed the tool or its site from the agent.'
const removedAsking =
  'The site asked for input, and the owner removed the tool or its site from the agent, so the call did not come to its end.'
const removedAtWork =
  'The site works on the call, and the owner removed the tool or its site from the agent, so its end is not waited for.'
const unasked = 'The call was not made because its tool now requires approval. Make the call again to request approval.'
const needless = 'The call was not made because its site is no longer connected.'
const notInTime = 'The call was not made because nobody approved it in time.'
const changed = 'The call was not made because it differs from the call that was approved.'
const refused =
  'The call was not made because its approval was refused. Do not request it again unless you are asked to.'
const withdrawn = 'The call was not made because the request for its approval was withdrawn.'
const goneAsking = 'The site asked for input and is no longer connected, so the call did not come to its end.'
const notAnswered = 'The site asked for input, and nobody answered in time, so the call did not come to its end.'
const notNeeded =
  'The site asked for input, and the request to a person was withdrawn, so the call did not come to its end.'
const lost =
  'The previous attempt was sent, but the process that sent it stopped before the response was recorded. The call was not retried because its tool is not declared safe to repeat.'
const givenUp = 'Every attempt ended without a usable response.'

/** The ending of a call that an answer waits for when the user goes on without it. */
export const replaced = (call: Attempted): CallEnding => endingUnsent(call, call.forms ? leftOpen : notApproved)

const notApproved = 'The call was not made because the user sent another message instead of approving it.'

const leftOpen =
  'The call did not come to its end because the user sent another message instead of answering what the site asked.'

/** Whether an attempt may have taken effect, because it has no recorded outcome. */
export const mayHaveActed = ({ status, attempts, refusedAttempts, inDoubt = false, job = null }: Attempted): boolean =>
  inDoubt || job !== null || (status === 'started' && attempts > refusedAttempts)

/** What keeps a call from being sent, or from being sent again; undefined if it may be sent now. */
export const hindranceOf = (
  call: Approvable,
  permission: Permission,
  { approval, now }: { approval: Approval | undefined; now: Date },
): Hindrance | undefined =>
  endingIfLost(call) ??
  endingWithout(permission, call) ??
  (call.asksFirst ? byApproval(approval, call, { gone: permission.gone, now }) : undefined)

/** Attempts that were neither refused nor answered with a form. */
const sentAttempts = ({ attempts, refusedAttempts, forms = 0 }: Attempted): number => attempts - refusedAttempts - forms

/** The ending of a call whose last attempt was lost and must not be repeated. What a site works on is not lost. */
export function endingIfLost(call: Attempted): CallEnding | undefined {
  const { status, effect, job = null } = call
  const sent = sentAttempts(call)
  if (status !== 'started' || sent === 0 || job !== null) return undefined
  if (effect !== 'once' && sent < maxAttempts) return undefined
  return endingUnsent(call, effect === 'once' ? lost : givenUp)
}

/** The ending of a call that its agent may no longer make, or not without approval. */
export function endingWithout(
  { removed: isRemoved, asksFirst }: Permission,
  call: Attempted & Pick<ToolCall, 'asksFirst'>,
): CallEnding | undefined {
  if (isRemoved && call.job) return endingUnsent(call, removedAtWork)
  if (isRemoved) return endingUnsent(call, call.forms ? removedAsking : removed, removedInDoubt)
  return asksFirst && !call.asksFirst && call.status === 'planned' ? endingUnsent(call, unasked) : undefined
}

/** Holds a call back until it is approved, or ends it. Only the exact call that was approved is sent. */
export function byApproval(
  approval: Approval | undefined,
  call: Approvable,
  { gone, now }: Pick<Permission, 'gone'> & { now: Date },
): Hindrance | undefined {
  if (!approval || (approval.status === 'pending' && gone))
    return endingUnsent(call, call.forms ? goneAsking : needless)
  const { status, expiresAt, note, form } = approval
  const isForm = form !== null
  // The site is told of a refusal, too, since it has begun the call.
  if (status === 'approved' || (status === 'refused' && isForm))
    return isAsShown(approval, call) ? undefined : endingUnsent(call, changed)
  if (status === 'pending' && expiresAt > now) return { waitsUntil: expiresAt }
  if (status === 'withdrawn') return endingUnsent(call, isForm ? notNeeded : withdrawn)
  if (status !== 'refused') return endingUnsent(call, isForm ? notAnswered : notInTime)
  return endingUnsent(call, note === null ? refused : `${refused} The note on the refusal: ${JSON.stringify(note)}`)
}

/** The ending of an open call whose run or answer ends. */
export function endingWith(subject: 'run' | 'answer', call: Attempted): CallEnding {
  if (call.inDoubt && call.status === 'planned') {
    return endingUnsent(
      call,
      `The ${subject} ended before this call was retried. An earlier attempt may or may not have taken effect.`,
    )
  }
  if (mayHaveActed(call)) {
    return endingUnsent(
      call,
      `The ${subject} ended while this call was in progress. The call may or may not have taken effect.`,
    )
  }
  if (call.forms) return endingUnsent(call, `The ${subject} ended while the site waited for input.`)
  if (call.attempts === 0) return endingUnsent(call, `The ${subject} ended before this call was sent.`)
  return endingUnsent(call, `The ${subject} ended before this call was retried. Its earlier attempts had no effect.`)
}

/** The ending of a call that is not sent, or not again. A read has no effect that could be in doubt. */
export function endingUnsent(call: Attempted, note: string, noteInDoubt = note): CallEnding {
  if (!mayHaveActed(call)) return { status: 'failed', note }
  return { status: call.effect === 'read' ? 'failed' : 'unknown', note: noteInDoubt }
}

/**
 * Whether, after this failure, sending the call again can help and is safe.
 *
 * @param attempts how many there were, if the record does not say so yet
 */
export function mayRepeat(
  call: Attempted,
  outcome: CallOutcome,
  { maxRefused, attempts = call.attempts }: { maxRefused: number; attempts?: number },
): boolean {
  const { effect, refusedAttempts } = call
  if (sentAttempts({ ...call, attempts }) >= maxAttempts || refusedAttempts > maxRefused) return false
  if (outcome.kind === 'broken') return effect !== 'once' && (outcome.httpStatus ?? 0) >= 500
  return outcome.kind === 'unavailable' && !outcome.permanent && (outcome.certain || effect !== 'once')
}
