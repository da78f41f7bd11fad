import { createHash } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'

/** Time-based codes (RFC 6238) in the form that every authenticator app supports: SHA-1, six digits, thirty seconds. */
const form = { algorithm: 'SHA1', digits: 6, period: 30 }

/** The neighboring steps' codes also count: clocks differ, and typing takes time (RFC 6238, 5.2). */
const steps = 1

/** A new secret in base32, 160 bits as RFC 4226, 4 recommends. */
export const newSecret = (): string => new Secret({ size: 20 }).base32

/** The URI for an authenticator app, usually shown as a QR code. */
export const addressOf = (secret: string, { host, email }: { host: string; email: string }): string =>
  new TOTP({ ...form, issuer: `Switchyard ${host}`, label: email, secret: Secret.fromBase32(secret) }).toString()

/** Whether a text looks like a code of the app. */
export const isAppCode = (code: string): boolean => /^[0-9]{6}$/.test(code)

/** The time step of a code; undefined if the code is wrong now. */
export function stepOf(secret: string, code: string, now: Date): number | undefined {
  // The library throws for a text with more bytes than characters.
  if (!isAppCode(code)) return undefined
  const timestamp = now.getTime()
  const delta = TOTP.validate({ ...form, token: code, secret: Secret.fromBase32(secret), timestamp, window: steps })
  return delta === null ? undefined : TOTP.counter({ period: form.period, timestamp }) + delta
}

/** Normalizes a code typed with spaces, in any case, or with the wide digits of some keyboards. */
export const tidy = (written: string): string => written.normalize('NFKC').replaceAll(/[\s-]/g, '').toLowerCase()

/** The number of new recovery codes. */
const recoveryCodes = 10

/** New recovery codes with 80 random bits each, so a fast hash is enough. */
export const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodes }, () =>
    new Secret({ size: 10 }).base32.toLowerCase().replaceAll(/.{4}(?=.)/g, '$&-'),
  )

/** The stored form of a recovery code. */
export const hashRecoveryCode = (written: string): string =>
  createHash('sha256')
    .update(`recovery ${tidy(written)}`)
    .digest('base64url')
