import * as v from 'valibot'
import { field, named } from './schemas/documented.ts'
import { folder } from './schemas/oauth-schema.ts'
import { route } from './route/route.ts'

const texts = v.array(v.string())
const document = named(
  'OAuthClientDocument',
  v.object({
    client_id: field(v.string(), 'Address of this document', 'https://switchyard.example.com/vault/oauth/client'),
    client_name: field(v.string(), 'Name of the client', 'Switchyard'),
    client_uri: field(v.string(), 'Address of the platform', 'https://switchyard.example.com'),
    redirect_uris: field(texts, 'Where browsers come back', ['https://switchyard.example.com/vault/oauth/callback']),
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
  path: `${folder}/client`,
  summary: 'Get the OAuth client metadata',
  description:
    'For authorization servers that identify a client by the address of its metadata (Client ID Metadata Document), such as those of MCP servers. The platform uses this address as its client id if it is on the public internet.',
  status: 200,
  response: document,
  handle: async ({ services }) => services.vault.clients.document(),
})
