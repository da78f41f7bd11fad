import { registrableDomain } from '../registrable-domain.ts'
import type { Manifest } from './manifest.ts'

/**
 * The hosts in a manifest outside the site's own registrable domain, and other ports of the site's own host (as
 * `host:port`), sorted, without duplicates. Credentials would be sent to them, so the owner must accept them. Another
 * port may belong to another person.
 */
export function foreignHosts(siteUrl: string, manifest: Manifest): string[] {
  const site = new URL(siteUrl)
  const foreign = Object.values(addressesOf(manifest)).flatMap((address) => foreignTo(site, new URL(address)))
  return [...new Set(foreign)].toSorted()
}

function foreignTo(site: URL, { hostname, port }: URL): string[] {
  if (registrableDomain(hostname) !== registrableDomain(site.hostname)) return [hostname]
  return hostname === site.hostname && port !== site.port ? [`${hostname}:${port || '443'}`] : []
}

/** The addresses that a manifest gives, by their dotted path. */
export function addressesOf({ server, auth }: Manifest): Record<string, string> {
  if (auth.type !== 'oauth2') return { 'server.url': server.url }
  return {
    'server.url': server.url,
    'auth.authorization_url': auth.authorization_url,
    'auth.token_url': auth.token_url,
    ...(auth.revocation_url !== undefined && { 'auth.revocation_url': auth.revocation_url }),
  }
}
