import * as v from 'valibot'
import { toolWarnings } from '../src/models/offer/tool-warnings.ts'
import type { DiscoveredSite } from '../src/sites/sites.ts'
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
            tool: field(v.string(), 'The name of the tool', 'search_issues'),
            message: field(
              v.string(),
              'What is changed for models, or why the tool may not be offered to them',
              'no provider takes "anyOf" at the top of a schema, so models read this rule as text',
            ),
          }),
          'What models are not sent of a tool as the site wrote it',
        ),
      ),
      'What providers of AI models would refuse of its tools, and what is done about it; direct calls are as the site wrote them',
      [],
    ),
  }),
  'A site, as its manifest describes it',
)

const presentSite = ({ origin, manifest, foreignHosts, tools }: DiscoveredSite) => {
  const { name, version, description, server, auth } = manifest
  const about = { origin, name, version, description, authType: auth.type, serverUrl: server.url }
  return { ...about, foreignHosts, tools, warnings: toolWarnings(tools) }
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
