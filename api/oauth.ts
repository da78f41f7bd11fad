import * as v from 'valibot'
import { flow, folder, presentFlow } from './schemas/oauth-schema.ts'
import { route } from './route/route.ts'
import { id, text, time } from './schemas/schemas.ts'
import { acceptHosts, scope } from './schemas/vault-schema.ts'

const chosen = v.pipe(
  v.optional(v.pipe(v.array(text(64)), v.maxLength(200))),
  v.metadata({
    description:
      'The tools to make usable. Only the scopes they need are requested, besides those already granted. By default all tools of a new site',
  }),
)

export const startOAuth = route({
  tag: 'vault',
  access: 'account',
  name: 'startOAuth',
  method: 'post',
  path: `${folder}/start`,
  summary: 'Start to connect a site by OAuth, or to reconnect an entry',
  description:
    'Open `connectUrl` in the browser of the person who has the account at the site. Give a `url` to connect a new site, or an `entryId` to renew or widen its grant. The scopes already granted are always requested again, plus those that `tools` need. The address is valid for ten minutes, in one browser.',
  body: v.union(
    [
      v.strictObject({ url: text(2048), tools: chosen, acceptHosts }),
      v.strictObject({ entryId: text(64), tools: chosen, acceptHosts }),
    ],
    'must name either a "url" or an "entryId", and may have "tools" and "acceptHosts"',
  ),
  status: 201,
  response: v.object({
    id,
    connectUrl: v.string(),
    expiresAt: time,
    scopes: v.array(scope),
    unusableTools: v.pipe(
      v.array(v.string()),
      v.metadata({ description: 'Chosen tools that need a scope that the site does not offer' }),
    ),
  }),
  codes: ['NOT_FOUND', 'INVALID_URL', 'MANIFEST_NOT_FOUND', 'MANIFEST_INVALID', 'VAULT_LIMIT_REACHED', 'TOKEN_EXISTS'],
  async handle({ services, caller: { userId: ownerId }, body }) {
    const { tools, acceptHosts: accepted } = body
    const target = 'url' in body ? { url: body.url } : { entry: await services.vault.get(ownerId, body.entryId) }
    return services.vault.flows.start({ ownerId, target, tools, acceptHosts: accepted })
  },
})

export const getOAuthFlow = route({
  tag: 'vault',
  access: 'account',
  name: 'getOAuthFlow',
  method: 'get',
  path: `${folder}/flows/{flowId}`,
  summary: 'Get the progress of connecting a site',
  status: 200,
  response: flow,
  resource: ({ services, caller, params }) => services.vault.flows.get(caller.userId, params.flowId),
  codes: ['NOT_FOUND'],
  handle: async ({ services, resource }) => presentFlow(resource, services.clock.now()),
})
