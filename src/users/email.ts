import { domainToASCII, domainToUnicode } from 'node:url'
import { assertThat } from '../errors.ts'

/**
 * The part before the at sign: atoms of RFC 5322 with dots between them, or letters and digits beyond ASCII. What mail
 * programs would read as another way of writing an address is none: quotes, comments, and a dot at the end.
 */
const localPart = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*$/u

/** A label of a host name as the DNS has it. */
const label = /^(?!-)[a-z\d-]{1,63}(?<!-)$/

/** Letters, digits and dashes of any script, with ASCII dots: `domainToASCII` takes other dots and escapes for these. */
const written = /^[\p{L}\p{M}\p{N}.-]+$/u

/** Whether it is a host name of two labels or more. An IP address is none: the last label of a name is not a number. */
function isDomain(ascii: string): boolean {
  const labels = ascii.split('.')
  return (
    labels.length > 1 && labels.every((one) => label.test(one)) && !/^(?:\d+|0x[\da-f]*)$/.test(labels.at(-1) ?? '')
  )
}

/**
 * The one spelling of a domain: as the DNS has it (UTS 46, non-transitional), without the dot of the root, and as people
 * read it. Undefined if it is none.
 */
function domainOf(text: string): string | undefined {
  const ascii = written.test(text) ? domainToASCII(text.replace(/(?<=[^.])\.$/, '')) : ''
  if (!isDomain(ascii)) return undefined
  const shown = domainToUnicode(ascii)
  // What does not read back as the same domain is shown as the DNS has it.
  return domainToASCII(shown) === ascii && written.test(shown) ? shown : ascii
}

/**
 * One spelling for each address: trimmed, lower case, NFC, the domain in its one spelling. Undefined if it is none (RFC 5321:
 * 254 at most).
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
