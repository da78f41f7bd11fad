import { assertThat } from '../errors.ts'

/** Something, an at sign, a domain with a dot; no spaces, control characters or lone surrogates. */
const shape = /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}]+$/u

/** One spelling per address: trimmed, lower case, NFC. Undefined if not an address (RFC 5321: 254 at most). */
export function normalizeEmail(written: string): string | undefined {
  if (written.length > 1000) return undefined
  const email = written.normalize('NFC').trim().toLowerCase().normalize('NFC')
  return email.length <= 254 && shape.test(email) ? email : undefined
}

/** The normalized address. VALIDATION_ERROR at `path` if it is not an address. */
export function readEmail(written: string, path = 'email'): string {
  const email = normalizeEmail(written)
  assertThat(email !== undefined, 'VALIDATION_ERROR', {
    message: 'The email address is not valid.',
    details: [{ path, message: 'Must be an email address of at most 254 characters.' }],
  })
  return email
}
