import * as v from 'valibot'
import { toolWarnings } from '../src/models/offer/tool-warnings.ts'
import type { DiscoveredSite } from '../src/sites/sites.ts'
import { proposalProblem } from '../src/tools/host-proposals.ts'
import { route } from './route/route.ts'
import { field, named } from './schemas/documented.ts'
import { siteCodes, siteFields, tool, url } from './schemas/vault-schema.ts'

const site = named(
  'Site',
  v.object({
    ...siteFields,
    foreignHosts: field(
      v.array(v.string()),
      'Hosts outside the site that credentials would go to; accept them when you connect it',
      [],
    ),
    tools: field(v.array(tool), 'Its tools'),
    warnings: field(
      v.array(
        named(
          'ToolWarning',
          v.object({
            tool: field(
              v.nullable(v.string()),
              'The name of the tool; null if it is about the manifest',
              'search_issues',
            ),
            message: field(
              v.string(),
              'What is changed or cut for models, why the tool may not be offered to them, or what is ignored',
              'no provider accepts "anyOf" at the top level of a schema, so models receive this rule as text',
            ),
          }),
          'What models are not sent as the site wrote it, or what is ignored',
        ),
      ),
      'What models are not sent of its tools as the site wrote it, because it is too long or providers would refuse it, and what of the manifest is ignored; direct calls are as the site wrote them',
      [],
    ),
  }),
  'A site, as its manifest describes it',
)

const presentSite = ({ origin, manifest, foreignHosts, tools }: DiscoveredSite) => {
  const { name, version, description, server, auth } = manifest
  const about = { origin, name, version, description, authType: auth.type, serverUrl: server.url }
  const problem = proposalProblem(manifest)
  const ofAll = problem === undefined ? [] : [{ tool: null, message: problem }]
  return { ...about, foreignHosts, tools, warnings: [...ofAll, ...toolWarnings(name, tools)] }
}

export const inspectSite = route({
  tag: 'vault',
  access: 'account',
  status: 200,
  name: 'inspectSite',
  audit: { not: 'It changes nothing.' },
  method: 'post',
  path: '/vault/inspect',
  summary: "Read a site's manifest before connecting it",
  description: 'Nothing is stored, and no credential is sent.',
  body: v.strictObject({ url }),
  response: site,
  codes: siteCodes,
  handle: async ({ services, caller, body }) => presentSite(await services.vault.inspect(body.url, caller.userId)),
})
