import * as v from 'valibot'
import { toolWarnings } from '../src/models/offer/tool-warnings.ts'
import { proposalProblem } from '../src/tools/host-proposals.ts'
import type { InspectedSite } from '../src/vault/inspection.ts'
import { route } from './route/route.ts'
import { mostWords, searchWords } from '../src/sites/offered-tools.ts'
import { field, named, whole } from './schemas/documented.ts'
import { text } from './schemas/schemas.ts'
import { siteCodes, siteFields, tool, url } from './schemas/vault-schema.ts'

const offered = named(
  'OfferedTools',
  v.object({
    total: field(whole, 'Number of tools that match', 1),
    tools: field(
      v.array(
        named(
          'OfferedTool',
          v.object({
            name: field(v.string(), 'Name of the tool', 'list_pets'),
            description: field(v.string(), 'What it does', 'Lists the pets'),
            tags: field(v.array(v.string()), 'Its tags', ['pets']),
            request: field(v.string(), 'The request that a call becomes', 'GET /pets'),
          }),
          'Tool that can be chosen',
        ),
      ),
      'The first 50 that match. Use `search` or `tag` to see others.',
    ),
    tags: field(
      v.array(
        named(
          'OfferedTag',
          v.object({ name: field(v.string(), 'The tag', 'pets'), count: field(whole, 'Number of its tools', 3) }),
          'Tag of tools that can be chosen',
        ),
      ),
      'Tags of all tools of the site, the most frequent first; at most 200',
    ),
  }),
  'Tools of a site to choose from',
)

const tooManyWords = `must have at most ${mostWords} different words`
const search = field(
  v.pipe(
    text(200),
    v.check((words) => searchWords(words).length <= mostWords, tooManyWords),
  ),
  `Words that tools to choose from must have, at most ${mostWords} different ones`,
  'pets',
)

const site = named(
  'Site',
  v.object({
    ...siteFields,
    foreignHosts: field(
      v.array(v.string()),
      'Hosts outside the site that would receive credentials. Accept them when you connect the site.',
      [],
    ),
    offersSignIn: field(
      v.boolean(),
      'Whether you can sign in at the site with `POST /vault/oauth/start`. If `authType` is `none`, the site lists its tools without sign-in, but calls may need it.',
      false,
    ),
    needsClientId: field(
      v.boolean(),
      'Whether the site needs a `clientId` that you registered at its authorization server, because the platform cannot register one',
      false,
    ),
    redirectUri: field(
      v.nullable(v.string()),
      'Redirect URI of a client that you register for this site. Null for a site without OAuth.',
      null,
    ),
    tools: field(v.array(tool), "The site's tools. An MCP server with OAuth shows none before sign-in."),
    offered: field(
      v.nullable(offered),
      'Tools to choose from, if the site offers more than are used. `tools` is empty then. Null for a site that lists all its tools.',
      null,
    ),
    alternatives: field(
      v.array(v.string()),
      'Addresses of all sites that the document describes, if there are several. To connect another one than `origin`, use its address.',
      [],
    ),
    warnings: field(
      v.array(
        named(
          'ToolWarning',
          v.object({
            tool: field(v.nullable(v.string()), 'Name of the tool. Null for the whole manifest.', 'search_issues'),
            message: field(
              v.string(),
              'What is changed, shortened or ignored, or why the tool cannot be offered to models',
              'no provider accepts "anyOf" at the top level of a schema, so models receive this rule as text',
            ),
          }),
          'Difference between the manifest and what models see',
        ),
      ),
      'Parts of the manifest that are ignored, and parts that are changed for models because they are too long or a provider would reject them. Direct calls use the manifest unchanged.',
      [],
    ),
  }),
  'Site, as described by its manifest',
)

const presentSite = (inspected: InspectedSite) => {
  const { origin, manifest, foreignHosts, tools, alternatives = [] } = inspected
  const { offersSignIn, needsClientId, redirectUri } = inspected
  const { name, version, description, server, auth } = manifest
  const leftOut = manifest.left_out ?? []
  const about = { origin, name, version, description, authType: auth.type, serverUrl: server.url, leftOut }
  const problem = proposalProblem(manifest)
  const ofAll = problem === undefined ? [] : [{ tool: null, message: problem }]
  return {
    ...about,
    foreignHosts,
    offersSignIn,
    needsClientId,
    redirectUri,
    tools,
    offered: inspected.offered ?? null,
    alternatives: alternatives.length > 1 ? alternatives : [],
    warnings: [...ofAll, ...toolWarnings(name, tools)],
  }
}

export const inspectSite = route({
  tag: 'vault',
  access: 'account',
  status: 200,
  name: 'inspectSite',
  audit: { not: 'It changes nothing.' },
  method: 'post',
  path: '/vault/inspect',
  summary: "Inspect a site's manifest",
  description:
    'Reads the manifest before you connect the site. Nothing is stored, and no credential is sent. Of a site that is described by an OpenAPI document, `offered` lists the tools to choose from. See [Connect a ' +
    'site](/docs/how-to/connect-a-site).',
  body: v.strictObject({
    url,
    search: v.optional(search),
    tag: v.optional(field(text(200), 'Tag that tools to choose from must have', 'pets')),
  }),
  response: site,
  codes: siteCodes,
  async handle({ services, caller, body }) {
    await services.rateLimits.inspection(caller.userId)
    return presentSite(await services.vault.inspect(body.url, caller.userId, body))
  },
})
