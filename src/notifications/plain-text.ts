import { cut, withoutHidden } from '../names.ts'

/**
 * The text as one line of at most `max` characters that is safe in Postgres, a mail's subject and a terminal.
 * Notifications quote strangers, so the text may contain anything. Never fails.
 */
export const oneLine = (text: string, max: number): string =>
  cut(
    withoutHidden(text.slice(0, 4 * max))
      .replaceAll(/\s+/g, ' ')
      .trim(),
    max,
  )

/** Longer than almost all names, and too short for a message. */
const maxHarmless = 40

/** Letters, marks, digits, spaces and punctuation of names. No dot inside a word, so no link and no address. */
const harmless = /^(?:[\p{L}\p{M}\p{N} _&'’,()-]|\.(?= |$))+$/u

/**
 * A stranger's name for a mail to a stranger; undefined if it could carry a message: a long text, a link, an address, a
 * phone number, or several lines.
 */
export function harmlessName(name: string): string | undefined {
  const plain = name.normalize('NFKC').trim()
  const digits = plain.replaceAll(/\P{Nd}/gu, '').length
  return harmless.test(plain) && Array.from(plain).length <= maxHarmless && digits <= 4 ? plain : undefined
}

/** Plain characters, with a letter or digit at both ends of the mailbox; domains have dots. */
const plainAddress = /^[a-z\d](?:[a-z\d._+-]*[a-z\d])?@[a-z\d.-]+$/

/** Longer than usual addresses; anything longer could be a message. */
const maxHarmlessAddress = 64

/** The same for an address. Its mailbox must not look like a host, as in "www.example.org@example.com". */
export function harmlessAddress(email: string): string | undefined {
  const isHarmless = email.length <= maxHarmlessAddress && plainAddress.test(email) && !email.startsWith('www.')
  return isHarmless ? email : undefined
}

/** A time in messages to people: `2026-11-26 09:00:00 UTC`. */
export const utc = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
