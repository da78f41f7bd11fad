import type { ExecutionContext } from 'ava'
import * as manifests from '../../api/manifests.ts'
import * as notifications from '../../api/notifications.ts'
import * as vault from '../../api/vault.ts'
import { startChangingSite, toolOf, type ChangingSite } from './changing-site.ts'
import { call } from './client.ts'
import { customer, type Person } from './people.ts'
import { startPlatform } from './platform.ts'

/** Settings with which a platform may reach the site. */
export const reaching = ({ allow, caFile }: Pick<ChangingSite, 'allow' | 'caFile'>) => ({
  SITE_ALLOW: allow.join(','),
  SITE_CA_FILE: caFile,
})

/** A platform, and a user who has connected the changing site. */
export async function openManifests(t: ExecutionContext, options: { worker?: boolean } = {}) {
  const site = await startChangingSite(t)
  const platform = await startPlatform(t, { ...options, env: reaching(site) })
  const someone = await customer(platform)
  return { site, platform, someone, ...(await connectChanging(someone, site)) }
}

/** Connects the changing site, and returns operations on its vault entry. */
export async function connectChanging(someone: Person, site: ChangingSite) {
  const { body } = await call(someone, vault.addToVault, { body: { url: site.origin, token: 'the-token' } })
  const params = { entryId: body.id }
  const asked = {
    entryId: body.id,
    ask: () => call(someone, manifests.refreshManifest, { params }),
    refresh: async () => (await call(someone, manifests.refreshManifest, { params })).body,
    accept: (fingerprint: string, acceptHosts?: string[]) =>
      call(someone, manifests.acceptManifest, { params, body: { fingerprint, ...(acceptHosts && { acceptHosts }) } }),
    entry: async () => (await call(someone, vault.getVaultEntry, { params })).body,
    history: async () => (await call(someone, manifests.listManifestChanges, { params })).body.items,
    tools: async () => (await call(someone, vault.listTools, { params })).body.items.map(({ name }) => name),
    use: (toolName: string) => call(someone, vault.callTool, { params: { ...params, toolName }, body: {} }),
    told: async () =>
      (await call(someone, notifications.listNotifications, { query: { kind: 'manifest_changed' } })).body.items,
  }
  return asked
}

/** Tools of these names, to replace a site's tools. */
export const withTools = (...names: string[]) => ({ tools: names.map((name) => toolOf(name)) })
