import * as v from 'valibot'
import type { OAuthFlow } from '../../src/vault/oauth/oauth-flow.ts'
import { documentedBy, field, named } from './documented.ts'
import { errorCode, id, time } from './schemas.ts'
import { scope } from './vault-schema.ts'

/** The path prefix of the OAuth routes. */
export const folder = '/vault/oauth'

export const flow = named(
  'OAuthFlow',
  v.object({
    id,
    status: named(
      'OAuthFlowStatus',
      v.picklist(['pending', 'connected', 'failed', 'expired']),
      'How far the person is who signs in at the site',
    ),
    origin: field(v.string(), 'The site', 'https://tracker.example.com'),
    scopes: field(v.array(scope), 'The scopes that were requested'),
    entryId: field(v.nullable(id), 'The vault entry, once it exists', null),
    code: field(v.nullable(documentedBy(v.string(), errorCode)), 'Why it failed', null),
    message: field(v.nullable(v.string()), 'Why it failed, for people', null),
    expiresAt: field(time, 'Until when it can be finished'),
  }),
  'An attempt to connect a site by OAuth',
)

export function presentFlow({ id, origin, scopes, entryId, code, message, expiresAt, ...row }: OAuthFlow, now: Date) {
  const over = row.endedAt === null && expiresAt < now
  const status = over ? 'expired' : row.status === 'exchanging' ? 'pending' : row.status
  return { id, status, origin, scopes, entryId, code, message, expiresAt }
}
