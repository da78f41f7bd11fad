import * as v from 'valibot'
import type { OAuthFlow } from '../../src/vault/oauth/oauth-flow.ts'
import { documentedBy, field, named } from './documented.ts'
import { idOf } from './example-ids.ts'
import { errorCode, time } from './schemas.ts'
import { grantedScopes } from './vault-schema.ts'

/** The path prefix of the OAuth routes. */
export const folder = '/vault/oauth'

export const flow = named(
  'OAuthFlow',
  v.object({
    id: idOf('flow'),
    status: named(
      'OAuthFlowStatus',
      v.picklist(['pending', 'connected', 'failed', 'expired']),
      'Progress of the sign-in at the site',
    ),
    origin: field(v.string(), 'Origin of the site', 'https://tracker.example.com'),
    scopes: field(grantedScopes, 'Requested scopes'),
    entryId: field(v.nullable(v.string()), 'Vault entry. Null until it exists.', null),
    code: field(v.nullable(documentedBy(v.string(), errorCode)), 'Error code. Null unless `failed`.', null),
    message: field(v.nullable(v.string()), 'Human-readable error message. Null unless `failed`.', null),
    expiresAt: field(time, 'When the attempt expires'),
  }),
  'Attempt to connect a site through OAuth',
)

export function presentFlow({ id, origin, entryId, code, message, expiresAt, ...row }: OAuthFlow, now: Date) {
  const over = row.endedAt === null && expiresAt < now
  const status = over ? 'expired' : row.status === 'exchanging' ? 'pending' : row.status
  const scopes = row.foreignScopes ?? row.scopes
  return { id, status, origin, scopes, entryId, code, message, expiresAt }
}
