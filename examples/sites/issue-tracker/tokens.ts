import { createHash, randomBytes, randomUUID } from 'node:crypto'

export type Scope = 'read' | 'write' | 'delete' | 'admin'

/** What each kind of user may do. */
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

/** What is kept of a token. The token itself is not: it is shown once, to the user who asked for it. */
export interface TokenRecord {
  id: string
  user: User
  /** Milliseconds since 1970. */
  expires: number
}

export type Tokens = ReturnType<typeof createTokens>

const ninetyDays = 90 * 24 * 60 * 60

/**
 * Bearer tokens: made for a user, found by their hash, expiring, revocable (docs/specification.md, "Bearer tokens").
 */
export function createTokens(now: () => number = Date.now) {
  const byHash = new Map<string, TokenRecord>()
  return {
    /** Makes a token that is good for so many seconds. This is the only time that anybody sees it. */
    create(name: string, role: Role = 'editor', seconds = ninetyDays): { token: string; expires: string } {
      const token = `tracker_${randomBytes(32).toString('base64url')}`
      const expires = now() + seconds * 1000
      byHash.set(hash(token), { id: randomUUID(), user: { name, role }, expires })
      return { token, expires: new Date(expires).toISOString() }
    },
    /** The record of a token that is good now: neither unknown nor expired nor revoked. */
    find(token: string): TokenRecord | undefined {
      const record = byHash.get(hash(token))
      return record && record.expires > now() ? record : undefined
    },
    /** Ends a token, named by itself or by its id. Answers whether there was one. */
    revoke(tokenOrId: string): boolean {
      for (const [key, { id }] of byHash) {
        if (key === hash(tokenOrId) || id === tokenOrId) return byHash.delete(key)
      }
      return false
    },
    list: (): TokenRecord[] => [...byHash.values()].filter(({ expires }) => expires > now()),
  }
}

/** A fast hash is enough here: the token has 256 random bits, so there is nothing to guess, unlike with passwords. */
const hash = (token: string): string => createHash('sha256').update(token).digest('hex')
