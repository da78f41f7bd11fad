import { domainToASCII, domainToUnicode } from 'node:url'
import { assertThat } from '../errors.ts'

/**
 * The local part: RFC 5322 atoms with dots between them, plus letters and digits beyond ASCII. Refuses what mail
 * programs would read as another spelling: quotes, comments, and a final dot.
 */
const localPart = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u

/** A host name label in the DNS. */
const label = /^(?!-)[a-z\d-]{1,63}(?<!-)$/

/**
 * Letters, digits and dashes of any script, with ASCII dots: `domainToASCII` would also accept other dots and escapes.
 */
const written = /^[\p{L}\p{M}\p{N}.-]+$/u

/** Whether it is a host name of at least two labels. An IP address is not: the last label of a name is not a number. */
function isDomain(ascii: string): boolean {
  const labels = ascii.split('.')
  return (
    labels.length > 1 && labels.every((one) => label.test(one)) && !/^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '')
  )
}

/**
 * A domain's canonical spelling: normalized as in the DNS (UTS 46, non-transitional), without the root dot, in its
 * readable form. undefined if it is not a domain.
 */
function domainOf(text: string): string | undefined {
  const ascii = written.test(text) ? domainToASCII(text.replace(/(?<=[^.])\.$/, '')) : ''
  if (!isDomain(ascii)) return undefined
  const shown = domainToUnicode(ascii)
  // A name whose readable form does not convert back is shown as in the DNS.
  return domainToASCII(shown) === ascii && written.test(shown) ? shown : ascii
}

/**
 * An address's canonical spelling: trimmed, lower case, NFC, canonical domain. undefined if it is not an address (RFC
 * 5321: at most 254).
 */
export function normalizeEmail(text: string): string | undefined {
  if (text.length > 1000) return undefined
  const email = text.normalize('NFC').trim().toLowerCase().normalize('NFC')
  const at = email.lastIndexOf('@')
  const [local, domain] = [email.slice(0, Math.max(at, 0)), domainOf(email.slice(at + 1))]
  if (domain === undefined || !localPart.test(local)) return undefined
  return local.length + 1 + domain.length <= 254 ? `${local}@${domain}` : undefined
}

/** The normalized address. VALIDATION_ERROR at `path` if it is not an address. */
export function readEmail(text: string, path = 'email'): string {
  const email = normalizeEmail(text)
  assertThat(email !== undefined, 'VALIDATION_ERROR', {
    message: 'The email address is invalid.',
    details: [{ path, message: 'Must be an email address of at most 254 characters.' }],
  })
  return email
}

/** Providers that ignore dots in the local part. */
const dotless = new Set(['gmail.com', 'googlemail.com'])

/**
 * One name for all addresses known to reach one mailbox: no part after a plus sign, one form of letters, the DNS
 * domain. For counting only; nothing is mailed there.
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
