import * as v from 'valibot'
import { assertThat } from '../src/errors.ts'
import { ownersIn, requireAction } from '../src/owners/reach.ts'
import { flow, folder, presentFlow } from './schemas/oauth-schema.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { list } from './schemas/list.ts'
import { idOf } from './schemas/example-ids.ts'
import { consolePath } from './schemas/local-path.ts'
import { inWorkspace, text, time } from './schemas/schemas.ts'
import { acceptHosts, grantedScopes, url } from './schemas/vault-schema.ts'

const chosen = v.optional(
  field(
    list(text(128), 200),
    "Tools to enable. Only the scopes that these tools need and the scopes already granted are requested. By default, all of a new site's tools are enabled. At a site that offers a choice (`offered` of `POST /vault/inspect`), these are the 1 to 20 tools that it is to have.",
    ['search_issues'],
  ),
)
const returnTo = v.optional(
  field(
    consolePath,
    'Page of the console to open when the browser comes back from the site, whatever the outcome. It gets the id of the flow as the search parameter `flow`. By default, the browser is shown a page of its own.',
    '/console/w/me/sites',
  ),
)
/** Visible, so that it can be sent in a header and in a form. */
const visible = (most: number) => v.pipe(text(most), v.regex(/^[\x21-\x7e]+$/, 'must be visible ASCII without spaces'))
const client = {
  clientId: v.optional(
    field(
      visible(2048),
      'Id of a client that you registered at the authorization server of the site, with the `redirectUri` of `POST /vault/inspect`. Needed if `needsClientId` is true.',
      'an-id-from-the-site',
    ),
  ),
  clientSecret: v.optional(
    field(visible(4096), 'Secret of this client, if it has one. It is stored encrypted.', 'a-secret-from-the-site'),
  ),
}
const entryId = field(text(64), 'Vault entry to reconnect', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a13')
const ofSite = named(
  'ConnectSiteRequest',
  v.strictObject({ ...inWorkspace, url, tools: chosen, acceptHosts, returnTo, ...client }),
  'New site to connect',
)
const ofEntry = named(
  'ReconnectEntryRequest',
  v.strictObject({ entryId, tools: chosen, acceptHosts, returnTo, ...client }),
  'Vault entry whose authorization you want to renew or extend',
)
const started = named(
  'StartedOAuthFlow',
  v.object({
    id: idOf('flow', 'Id of the flow, for `GET /vault/oauth/flows/{flowId}`'),
    connectUrl: field(
      v.string(),
      'URL to open in the browser of the person who has the account at the site',
      'https://switchyard.example.com/vault/oauth/go?ticket=an-example',
    ),
    expiresAt: field(time, 'When the flow expires'),
    scopes: field(grantedScopes, 'Requested scopes'),
    unusableTools: field(v.array(v.string()), 'Chosen tools that need a scope that the site does not offer', []),
  }),
  'Started OAuth flow',
)

export const startOAuth = route({
  tag: 'vault',
  access: 'account',
  name: 'startOAuth',
  audit: { not: 'Recorded when the site is connected.' },
  method: 'post',
  path: `${folder}/start`,
  summary: 'Start connecting a site with OAuth',
  description:
    'Send `url` to connect a new site, or `entryId` to renew or extend the authorization of a connected site. Then, within ten minutes, open `connectUrl` in the browser of the person who has the account at the site. The platform requests the scopes already granted and any others that the tools in `tools` need. An MCP server has scopes of its own, which are requested whatever tools you choose. See [Connect a site](/docs/how-to/connect-a-site).',
  body: v.union(
    [ofSite, ofEntry],
    'must have either "url" or "entryId", and can also have "tools", "acceptHosts", "returnTo", "clientId" and "clientSecret"',
  ),
  status: 201,
  response: started,
  codes: [
    'NOT_FOUND',
    'INVALID_URL',
    'MANIFEST_NOT_FOUND',
    'MANIFEST_INVALID',
    'VAULT_LIMIT_REACHED',
    'TOKEN_EXISTS',
    'TOOL_EXECUTION_ERROR',
  ],
  owner: 'body',
  async handle({ services, caller, ownerId, body }) {
    const { tools, acceptHosts: accepted, returnTo: page } = body
    const client = clientIn(body)
    const given = { userId: caller.userId, tools, acceptHosts: accepted, returnTo: page, client }
    if ('url' in body) return services.vault.flows.start({ ownerId, target: { url: body.url }, ...given })
    const entry = await services.vault.get(ownersIn(caller.reach), body.entryId)
    requireAction(caller.reach, entry.ownerId, 'build')
    return services.vault.flows.start({ ownerId: entry.ownerId, target: { entry }, ...given })
  },
})

function clientIn({
  clientId: id,
  clientSecret: secret,
}: {
  clientId?: string | undefined
  clientSecret?: string | undefined
}) {
  const message = 'A secret needs the id of its client.'
  assertThat(id !== undefined || secret === undefined, 'VALIDATION_ERROR', {
    message,
    details: [{ path: 'clientId', message }],
  })
  return id === undefined ? undefined : { id, secret }
}

export const getOAuthFlow = route({
  tag: 'vault',
  access: 'account',
  name: 'getOAuthFlow',
  method: 'get',
  path: `${folder}/flows/{flowId}`,
  summary: 'Get an OAuth flow',
  description: 'Shows the progress of the connection, for the page that opened `connectUrl`.',
  status: 200,
  response: flow,
  resource: ({ services, caller, params }) => services.vault.flows.get(ownersIn(caller.reach), params.flowId),
  codes: ['NOT_FOUND'],
  handle: async ({ services, resource }) => presentFlow(resource, services.clock.now()),
})
