/** Control characters (line breaks too), lone surrogates, line separators, and marks of text direction. */
const unprintable = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu

/**
 * The text as one line of at most `max` characters that is safe in Postgres, a mail's subject and a terminal: names and
 * words of sites, which appear in notifications, may contain anything. Never fails.
 */
export function oneLine(text: string, max: number): string {
  const line = text
    .slice(0, 4 * max)
    .replaceAll(unprintable, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  const characters = Array.from(line)
  return characters.length <= max ? line : `${characters.slice(0, max - 1).join('')}…`
}

/** The same for a text of several lines, each of at most `maxLine` characters; empty lines stay. */
export const plainLines = (text: string, maxLines: number, maxLine: number): string =>
  text
    .split(/\r\n|\r|\n/, maxLines)
    .map((line) => oneLine(line, maxLine))
    .join('\n')

/** A name's share of a title. */
const maxName = 60

/**
 * A name within the platform's own sentence, as in the subject of a mail: on one line, bounded, in quotation marks that
 * it cannot close. Put it last, so that nobody else's words open the sentence.
 */
export const quotedName = (name: string): string => `"${oneLine(name, maxName).replaceAll(/["\u201c-\u201f]/g, "'")}"`

/** Longer than nearly every name, and too short for a message. */
const maxHarmless = 40

/** Letters, marks, digits and spaces, and what names have between them: no dot within, so no link and no address. */
const harmless = /^(?:[\p{L}\p{M}\p{N} _&'’,()-]|\.(?= |$))+$/u

/**
 * A stranger's name as a mail to a stranger may quote it; undefined if it could be a message: a long text, a link, an
 * address, a telephone number, or more than one line.
 */
export function harmlessName(name: string): string | undefined {
  const plain = name.normalize('NFKC').trim()
  const digits = plain.replaceAll(/\P{Nd}/gu, '').length
  return harmless.test(plain) && Array.from(plain).length <= maxHarmless && digits <= 4 ? plain : undefined
}

/** Plain characters, with a letter or digit at both ends of the mailbox; domains have dots. */
const plainAddress = /^[a-z\d](?:[a-z\d._+-]*[a-z\d])?@[a-z\d.-]+$/

/** As people write addresses; more could be a message. */
const maxHarmlessAddress = 64

/** The same for an address. Its mailbox must not read as a host either, as in "www.example.org@example.com". */
export function harmlessAddress(email: string): string | undefined {
  const isHarmless = email.length <= maxHarmlessAddress && plainAddress.test(email) && !email.startsWith('www.')
  return isHarmless ? email : undefined
}

/** A time as messages to people write it: `2026-11-26 09:00:00 UTC`. */
export const utc = (at: Date): string => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
