import * as v from 'valibot'
import { assertIssuerKey } from '../src/vault/oauth/redirect-uris.ts'
import { field, named } from './schemas/documented.ts'
import { folder } from './schemas/oauth-schema.ts'
import { route } from './route/route.ts'

const key = 'C6IVJ0dP5W3rGdtgB1oKyA'
const base = 'https://switchyard.example.com'
const texts = v.array(v.string())
const document = named(
  'OAuthClientDocument',
  v.object({
    client_id: field(v.string(), 'Address of this document', `${base}/vault/oauth/client/${key}`),
    client_name: field(v.string(), 'Name of the client', 'Switchyard'),
    client_uri: field(v.string(), 'Address of the platform', base),
    redirect_uris: field(texts, 'Where browsers come back', [`${base}/vault/oauth/callback/${key}`]),
    grant_types: field(texts, 'How the client gets tokens', ['authorization_code', 'refresh_token']),
    response_types: field(texts, 'How the client gets codes', ['code']),
    token_endpoint_auth_method: field(v.string(), 'How the client authenticates', 'none'),
    application_type: field(v.string(), 'Kind of the client', 'web'),
  }),
  'The platform as an OAuth client',
)

export const readOAuthClient = route({
  name: 'readOAuthClient',
  tag: 'vault',
  access: 'anyone',
  limit: 'none',
  method: 'get',
  path: `${folder}/client/{issuerKey}`,
  summary: 'Get the OAuth client metadata',
  description:
    'For authorization servers that identify a client by the address of its metadata (Client ID Metadata Document), such as those of MCP servers. The platform uses this address as its client id if it is on the public internet. `issuerKey` is the first 22 characters of the SHA-256 of the issuer in base64url.',
  status: 200,
  response: document,
  codes: ['NOT_FOUND'],
  async handle({ services, params: { issuerKey } }) {
    assertIssuerKey(issuerKey)
    return services.vault.clients.document(issuerKey)
  },
})
