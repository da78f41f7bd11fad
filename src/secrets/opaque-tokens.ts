import { createHash, createHmac, randomBytes } from 'node:crypto'

type TokenKind =
  | 'key'
  | 'refresh'
  | 'ticket'
  | 'state'
  | 'binding'
  | 'seen'
  | 'nonce'
  | 'session'
  | 'verify'
  | 'change'
  | 'reset'
  | 'invite'
  | 'admin'
  | 'join'
  | 'csrf'
  | 'app'
  | 'renewal'
  | 'cookies'

/** A new secret of 256 random bits. The prefix identifies it to people, scanners and the log's redaction. */
export const newToken = (kind: TokenKind): string => `sy_${kind}_${randomBytes(32).toString('base64url')}`

/**
 * Derives a secret for a purpose (an id) from another secret. Deterministic; it reveals nothing about the other secret.
 */
export const derivedToken = (kind: TokenKind, secret: string, purpose: string): string =>
  `sy_${kind}_${createHmac('sha256', secret).update(`${kind} ${purpose}`).digest('base64url')}`

/** Whether a text has the form of such a secret. Any other text is refused without a query. */
export const isToken = (kind: TokenKind, text: string): boolean =>
  text.startsWith(`sy_${kind}_`) && /^[\w-]{43}$/.test(text.slice(`sy_${kind}_`.length))

/** The stored form. A fast hash is enough: unlike a password, 256 random bits cannot be guessed. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('base64url')
