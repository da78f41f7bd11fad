import * as v from 'valibot'
import { toolWarnings } from '../src/models/offer/tool-warnings.ts'
import { proposalProblem } from '../src/tools/host-proposals.ts'
import type { InspectedSite } from '../src/vault/inspection.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { siteCodes, siteFields, tool, url } from './schemas/vault-schema.ts'

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

const presentSite = ({ origin, manifest, foreignHosts, tools, ...signIn }: InspectedSite) => {
  const { offersSignIn, needsClientId, redirectUri } = signIn
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
    'Reads the manifest before you connect the site. Nothing is stored, and no credential is sent. See [Connect a ' +
    'site](/docs/how-to/connect-a-site).',
  body: v.strictObject({ url }),
  response: site,
  codes: siteCodes,
  async handle({ services, caller, body }) {
    await services.rateLimits.inspection(caller.userId)
    return presentSite(await services.vault.inspect(body.url, caller.userId))
  },
})
