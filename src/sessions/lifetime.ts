import { earliest, later } from '../clock.ts'
import type { Config } from '../config/config.ts'
import { assertThat } from '../errors.ts'
import type { Session } from './session.ts'

type Limits = Config['sessions']

/** Uses are written down this seldom, to spare a write per request; an idle session ends that much too early at most. */
const noteSeconds = 60

/**
 * When a new session ends. A key's sessions do not outlive the key. VALIDATION_ERROR for a `ttlSeconds` that would
 * lengthen the life of a session, or is not above 0.
 */
export function endOf(
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

/** The last time of use at which a session is idle by now. */
export const idleSince = (now: Date, { idleMinutes }: Limits): Date => later(now, -60 * idleMinutes)

/** Whether the token of a session may be used still. */
export const isLiving = (session: Session, now: Date, limits: Limits): boolean =>
  session.endedAt === null && !isOver(session, now, limits)

/** Whether its lifetime is over, or nobody has used it for too long. */
export const isOver = ({ expiresAt, usedAt }: Session, now: Date, limits: Limits): boolean =>
  expiresAt <= now || usedAt <= idleSince(now, limits)

/** Whether a use has to be written down. */
export const isNoteworthy = ({ usedAt }: Session, now: Date): boolean => usedAt <= later(now, -noteSeconds)
