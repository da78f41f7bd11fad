import * as v from 'valibot'
import { route } from './route/route.ts'

const key = v.object({
  kty: v.literal('OKP'),
  crv: v.literal('Ed25519'),
  x: v.string(),
  kid: v.pipe(v.string(), v.metadata({ description: 'The thumbprint of the key (RFC 7638)' })),
  use: v.literal('sig'),
  alg: v.literal('EdDSA'),
})

export const readSigningKeys = route({
  name: 'readSigningKeys',
  tag: 'auth',
  access: 'anyone',
  limit: 'none',
  method: 'get',
  path: '/.well-known/jwks.json',
  summary: 'Get the public keys of access tokens',
  description:
    'A JSON Web Key Set (RFC 7517), the key of new tokens first. Whether a login has ended is known to the platform only, so a token that verifies may be revoked.',
  status: 200,
  response: v.object({ keys: v.array(key) }),
  handle: async ({ services }) => services.users.publicKeys(),
})
