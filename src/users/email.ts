import { domainToASCII } from 'node:url'
import { assertThat } from '../errors.ts'

/**
 * A mailbox, an at sign, a domain of two labels or more. What mail programs would read as another way of writing an
 * address is none: quotes, comments, and a dot at the end. Nor are spaces, control characters and lone surrogates.
 */
const shape =
  /^[^\s\p{C}@"(),:;<>[\]\\.]+(\.[^\s\p{C}@"(),:;<>[\]\\.]+)*@(?=[^@]*\.)[^\s\p{C}@"(),:;<>[\]\\.]+(\.[^\s\p{C}@"(),:;<>[\]\\.]+)*$/u

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

/** Where letters may have dots that mean nothing. */
const dotless = new Set(['gmail.com', 'googlemail.com'])

/**
 * One name for all addresses that are known to reach one mailbox: without what follows a plus sign, letters in one form, the
 * domain as the DNS has it. For counting; nothing is mailed there.
 */
export function mailboxOf(email: string): string {
  const at = email.lastIndexOf('@')
  const local = email
    .slice(0, at)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/(.)\+.*$/, '$1')
  const domain = domainToASCII(email.slice(at + 1)) || email.slice(at + 1)
  return dotless.has(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`
}
