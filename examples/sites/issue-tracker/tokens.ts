import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { keptFile } from '../kept-file.ts'

export type Scope = 'read' | 'write' | 'delete' | 'admin'

/** The scopes of each role. */
export const permissions = {
  reader: ['read'],
  editor: ['read', 'write', 'delete'],
  admin: ['read', 'write', 'delete', 'admin'],
} as const satisfies Record<string, readonly Scope[]>

export type Role = keyof typeof permissions

export const isRole = (text: unknown): text is Role => typeof text === 'string' && Object.hasOwn(permissions, text)

export interface User {
  name: string
  role: Role
}

/** A stored token without its text, which its user sees once. */
export interface TokenRecord {
  id: string
  user: User
  /** Milliseconds since 1970. */
  expires: number
}

export type Tokens = ReturnType<typeof createTokens>

const ninetyDays = 90 * 24 * 60 * 60

/**
 * Bearer tokens: created per user, stored as hashes, with an expiry, revocable (docs/specification.md, "Bearer
 * tokens"). A file, if given, keeps the hashes.
 */
export function createTokens(now: () => number = Date.now, kept = keptFile<[string, TokenRecord][]>(undefined)) {
  const byHash = new Map<string, TokenRecord>(kept.read())
  const keep = () => kept.keep([...byHash].filter(([, { expires }]) => expires > now()))
  return {
    /** Creates a token that is valid for the given seconds. It is shown only here. */
    create(name: string, role: Role = 'editor', seconds = ninetyDays): { token: string; expires: string } {
      const token = `tracker_${randomBytes(32).toString('base64url')}`
      const expires = now() + seconds * 1000
      byHash.set(hash(token), { id: randomUUID(), user: { name, role }, expires })
      keep()
      return { token, expires: new Date(expires).toISOString() }
    },
    /** The record of a valid token: known, not expired, not revoked. */
    find(token: string): TokenRecord | undefined {
      const record = byHash.get(hash(token))
      return record && record.expires > now() ? record : undefined
    },
    /** Revokes a token by its text or its id. Returns whether there was one. */
    revoke(tokenOrId: string): boolean {
      for (const [key, { id }] of byHash) {
        if (key !== hash(tokenOrId) && id !== tokenOrId) continue
        byHash.delete(key)
        keep()
        return true
      }
      return false
    },
    list: (): TokenRecord[] => [...byHash.values()].filter(({ expires }) => expires > now()),
  }
}

/** A fast hash is enough: unlike a password, 256 random bits cannot be guessed. */
const hash = (token: string): string => createHash('sha256').update(token).digest('hex')
