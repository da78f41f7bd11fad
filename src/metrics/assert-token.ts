import { createHash, timingSafeEqual } from 'node:crypto'
import { CodedError } from '../errors.ts'

/** Checks the bearer token of a request for metrics, in constant time. Fails with UNAUTHORIZED or INVALID_TOKEN. */
export function assertMetricsToken(token: string, authorization: string | undefined): void {
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
  if (given === undefined) throw new CodedError('UNAUTHORIZED', { message: explanation })
  if (!timingSafeEqual(digest(given), digest(token))) throw new CodedError('INVALID_TOKEN', { message: explanation })
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const explanation = 'Metrics require the token of METRICS_TOKEN. Send "Authorization: Bearer <token>".'
