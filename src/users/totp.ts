import { createHash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'

/** Codes by time (RFC 6238) with what every authenticator app knows: SHA-1, six digits, thirty seconds. */
const form = { algorithm: 'SHA1', digits: 6, period: 30 }

/** A code of the step before or after is accepted, too: clocks differ, and typing takes time (RFC 6238, 5.2). */
const steps = 1

/** A new secret in base32, of the length that RFC 4226, 4 recommends: 160 bits. */
export const newSecret = (): string => new Secret({ size: 20 }).base32

/** The address that an authenticator app takes, usually as a QR code. */
export const addressOf = (secret: string, { host, email }: { host: string; email: string }): string =>
  new TOTP({ ...form, issuer: `Switchyard ${host}`, label: email, secret: Secret.fromBase32(secret) }).toString()

/** Whether a text has the form of a code of the app. */
export const isAppCode = (code: string): boolean => /^[0-9]{6}$/.test(code)

/** The time step that a code belongs to; undefined if it is wrong now. */
export function stepOf(secret: string, code: string, now: Date): number | undefined {
  // The library throws for a text that is longer in bytes than in letters.
  if (!isAppCode(code)) return undefined
  const timestamp = now.getTime()
  const delta = TOTP.validate({ ...form, token: code, secret: Secret.fromBase32(secret), timestamp, window: steps })
  return delta === null ? undefined : TOTP.counter({ period: form.period, timestamp }) + delta
}

/** A code that its owner may have written with spaces, in any case, or with the wide digits of some keyboards. */
export const tidy = (written: string): string => written.normalize('NFKC').replaceAll(/[\s-]/g, '').toLowerCase()

/** How many recovery codes there are at first. */
const recoveryCodes = 10

/** New recovery codes. Each has 80 random bits, so that its hash may be a fast one. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodes }, () =>
    new Secret({ size: 10 }).base32.toLowerCase().replaceAll(/.{4}(?=.)/g, '$&-'),
  )

/** The stored form of a recovery code. */
export const hashRecoveryCode = (written: string): string =>
  createHash('sha256')
    .update(`recovery ${tidy(written)}`)
    .digest('base64url')
