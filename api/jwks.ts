import * as v from 'valibot'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'

const key = named(
  'SigningKey',
  v.object({
    kty: field(v.literal('OKP'), 'Key type (RFC 8037)'),
    crv: field(v.literal('Ed25519'), 'Elliptic curve of the key'),
    x: field(v.string(), 'Public key in base64url', '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo'),
    kid: field(v.string(), 'Thumbprint of the key (RFC 7638)', 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k'),
    use: field(v.literal('sig'), 'Key use: signatures'),
    alg: field(v.literal('EdDSA'), 'Signature algorithm'),
  }),
  'Public key for checking access tokens',
)
const keys = named(
  'SigningKeys',
  v.object({ keys: field(v.array(key), 'Keys, starting with the one for new tokens') }),
  'JSON Web Key Set',
)

export const readSigningKeys = route({
  name: 'readSigningKeys',
  tag: 'auth',
  access: 'anyone',
  limit: 'none',
  method: 'get',
  path: '/.well-known/jwks.json',
  summary: 'Get the public signing keys',
  description:
    'Returns a JSON Web Key Set (RFC 7517) for checking access tokens. The key for new tokens comes first. A valid ' +
    'signature does not show whether a token has been revoked.',
  status: 200,
  response: keys,
  handle: async ({ services }) => services.users.publicKeys(),
})
