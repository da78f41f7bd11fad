import { isAsShown, type Approval } from '../../approvals/approval.ts'
import type { ToolCall } from '../../tools/tool-call.ts'

/** How often a call is sent if the site declares it safe to repeat. */
export const maxAttempts = 3

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
  asksFirst: boolean
  /** Somebody was asked to approve it. */
  asked: boolean
  /** Its site is no longer in the vault. */
  gone: boolean
}

export type Sendable = Pick<ToolCall, 'inDoubt' | 'status' | 'effect'>

const removed = 'The call was not made because the owner removed the tool or its site from the agent.'
const removedInDoubt =
  'An earlier attempt ended without a usable response. The call was not retried because the owner removed the tool or its site from the agent.'
const unasked =
  "The call was not made because its tool now requires the owner's approval. Make the call again to request approval."
const needless = 'The call was not made because its site is no longer connected.'
const notInTime = 'The call was not made because nobody approved it in time.'
const changed = 'The call was not made because it differs from the call that was approved.'
const refused = 'The call was not made because the owner refused it. Do not request it again.'
const inDoubt =
  'The previous attempt was sent, but its worker stopped before the response was recorded. The call was not retried because its tool is not declared safe to repeat.'
const givenUp = 'Every attempt ended without a usable response.'

/** The ending of a call whose last attempt was lost and must not be repeated. */
export function endingIfLost({
  status,
  effect,
  attempts,
  refusedAttempts,
}: Pick<ToolCall, 'status' | 'effect' | 'attempts' | 'refusedAttempts'>): CallEnding | undefined {
  if (status !== 'started') return undefined
  if (effect !== 'once' && attempts - refusedAttempts < maxAttempts) return undefined
  return { status: effect === 'read' ? 'failed' : 'unknown', note: effect === 'once' ? inDoubt : givenUp }
}

/** The ending of a call that its agent may no longer make, or not without approval. */
export function endingWithout({ removed: isRemoved, asksFirst, asked }: Permission, call: Sendable) {
  if (isRemoved) return unsent(call, removed, removedInDoubt)
  return asksFirst && !asked && call.status === 'planned' ? unsent(call, unasked) : undefined
}

/** Holds a call back until it is approved, or ends it. Only the exact call that was approved is sent. */
export function byApproval(
  approval: Approval | undefined,
  call: Sendable & Parameters<typeof isAsShown>[1],
  { gone, now }: Pick<Permission, 'gone'> & { now: Date },
): Hindrance | undefined {
  if (!approval || (approval.status === 'pending' && gone)) return unsent(call, needless)
  const { status, expiresAt, note } = approval
  if (status === 'approved') return isAsShown(approval, call) ? undefined : unsent(call, changed)
  if (status === 'pending' && expiresAt > now) return { waitsUntil: expiresAt }
  if (status !== 'refused') return unsent(call, notInTime)
  return unsent(call, note === null ? refused : `${refused} Their note: ${JSON.stringify(note)}`)
}

/** The ending of a call that is not sent, or not again. */
function unsent(call: Sendable, note: string, noteInDoubt = note): CallEnding {
  const isInDoubt = call.inDoubt || call.status === 'started'
  if (!isInDoubt) return { status: 'failed', note }
  return { status: call.effect === 'read' ? 'failed' : 'unknown', note: noteInDoubt }
}
