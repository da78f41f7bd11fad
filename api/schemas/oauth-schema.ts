import * as v from 'valibot'
import type { OAuthFlow } from '../../src/vault/oauth/oauth-flow.ts'
import { id, time } from './schemas.ts'
import { scope } from './vault-schema.ts'

/** The path prefix of the OAuth routes. */
export const folder = '/vault/oauth'

export const flow = v.object({
  id,
  status: v.picklist(['pending', 'connected', 'failed', 'expired']),
  origin: v.string(),
  scopes: v.array(scope),
  entryId: v.pipe(v.nullable(id), v.metadata({ description: 'The vault entry, once it exists' })),
  code: v.pipe(v.nullable(v.string()), v.metadata({ description: 'Why it failed' })),
  message: v.nullable(v.string()),
  expiresAt: time,
})

export function presentFlow({ id, origin, scopes, entryId, code, message, expiresAt, ...row }: OAuthFlow, now: Date) {
  const over = row.endedAt === null && expiresAt < now
  const status = over ? 'expired' : row.status === 'exchanging' ? 'pending' : row.status
  return { id, status, origin, scopes, entryId, code, message, expiresAt }
}
