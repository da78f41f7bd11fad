import * as v from 'valibot'
import type { DiscoveredSite } from '../src/sites/sites.ts'
import { route } from './route/route.ts'
import { siteCodes, tool, url } from './schemas/vault-schema.ts'

const site = v.object({
  origin: v.string(),
  name: v.string(),
  version: v.string(),
  description: v.string(),
  authType: v.picklist(['bearer', 'oauth2']),
  serverUrl: v.string(),
  foreignHosts: v.pipe(
    v.array(v.string()),
    v.metadata({ description: 'Hosts outside the site that credentials would go to; accept them when you connect it' }),
  ),
  tools: v.array(tool),
})

const presentSite = ({ origin, manifest, foreignHosts, tools }: DiscoveredSite) => {
  const { name, version, description, server, auth } = manifest
  return { origin, name, version, description, authType: auth.type, serverUrl: server.url, foreignHosts, tools }
}

export const inspectSite = route({
  tag: 'vault',
  access: 'account',
  status: 200,
  name: 'inspectSite',
  method: 'post',
  path: '/vault/inspect',
  summary: "Read a site's manifest before connecting it",
  body: v.strictObject({ url }),
  response: site,
  codes: siteCodes,
  handle: async ({ services, caller, body }) => presentSite(await services.vault.inspect(body.url, caller.userId)),
})
