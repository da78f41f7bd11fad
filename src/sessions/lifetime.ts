import { earliest, later } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { assertThat } from '../errors.ts'
import type { Session } from './session.ts'

type Limits = Config['sessions']

/** Precision of the recorded use, which saves a write per request. An idle session ends at most that much too early. */
const noteSeconds = 60

/**
 * When a new session ends. A key's sessions do not outlive the key. VALIDATION_ERROR for a `ttlSeconds` that would
 * lengthen the session's life, or is not above 0.
 */
export function endOfSession(
  now: Date,
  { hours }: Limits,
  { ttlSeconds, keyExpiresAt }: { ttlSeconds?: number | undefined; keyExpiresAt: Date | null },
): Date {
  const most = hours * 3600
  const asked = ttlSeconds ?? most
  const message = `must be an integer from 1 to ${most}`
  assertThat(Number.isInteger(asked) && asked >= 1 && asked <= most, 'VALIDATION_ERROR', {
    message: `The session is invalid. "ttlSeconds" ${message}.`,
    details: [{ path: 'ttlSeconds', message }],
  })
  return earliest(later(now, asked), keyExpiresAt)
}

/** Sessions last used before this time are idle now. */
export const idleSince = (now: Date, { idleMinutes }: Limits): Date => later(now, -60 * idleMinutes)

export const isLiving = (session: Session, now: Date, limits: Limits): boolean =>
  session.endedAt === null && !isOver(session, now, limits)

export const isOver = ({ expiresAt, usedAt }: Session, now: Date, limits: Limits): boolean =>
  expiresAt <= now || usedAt <= idleSince(now, limits)

export const isNoteworthy = ({ usedAt }: Session, now: Date): boolean => usedAt <= later(now, -noteSeconds)
