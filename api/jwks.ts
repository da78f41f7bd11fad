import * as v from 'valibot'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'

const key = named(
  'SigningKey',
  v.object({
    kty: field(v.literal('OKP'), 'The kind of key (RFC 8037)'),
    crv: field(v.literal('Ed25519'), 'The curve'),
    x: field(v.string(), 'The public key', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'),
    kid: field(v.string(), 'The thumbprint of the key (RFC 7638)', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
    use: field(v.literal('sig'), 'It signs'),
    alg: field(v.literal('EdDSA'), 'The algorithm'),
  }),
  'A public key of access tokens',
)
const keys = named(
  'SigningKeys',
  v.object({ keys: field(v.array(key), 'The key of new tokens first') }),
  'A JSON Web Key Set',
)

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
  response: keys,
  handle: async ({ services }) => services.users.publicKeys(),
})
