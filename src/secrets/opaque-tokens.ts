import { createHash, createHmac, randomBytes } from 'node:crypto'

type TokenKind = 'key' | 'refresh' | 'ticket' | 'state' | 'binding' | 'seen'

/** A new secret of 256 random bits; the prefix tells people, scanners and the log's redaction what it is. */
export const newToken = (kind: TokenKind): string => `sy_${kind}_${randomBytes(32).toString('base64url')}`

/**
 * The secret that only who knows the other secret can make for this purpose (an id); always the same one. It tells
 * nothing of the other secret.
 */
export const derivedToken = (kind: TokenKind, secret: string, purpose: string): string =>
  `sy_${kind}_${createHmac('sha256', secret).update(`${kind} ${purpose}`).digest('base64url')}`

/** Whether a text from outside has the shape of such a secret; what has not is refused without asking the database. */
export const isToken = (kind: TokenKind, text: string): boolean =>
  text.startsWith(`sy_${kind}_`) && /^[\w-]{43}$/.test(text.slice(`sy_${kind}_`.length))

/** What is stored. A plain fast hash is right here: 256 random bits cannot be guessed, unlike a password. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')
