import type { CodedError } from '../../src/errors.ts'

/**
 * The challenge of a 401 (RFC 9110, 11.6.1). `invalid_token` means that the bearer token was refused. A request without
 * one gets no error (RFC 6750, 3.1).
 */
export function challengeOf(error: CodedError, authorization: string): string {
  const [scheme, ...parameters] = error.challenge ?? ['Bearer']
  const isRefused = scheme === 'Bearer' && error.code !== 'UNAUTHORIZED' && /^Bearer +\S/i.test(authorization)
  return `${scheme} ${['realm="Switchyard"', ...parameters, ...(isRefused ? ['error="invalid_token"'] : [])].join(', ')}`
}
