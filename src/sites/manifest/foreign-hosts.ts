import { registrableDomain } from '../../registrable-domain.ts'
import type { Manifest } from './manifest.ts'

/**
 * The hosts in a manifest that are not on the site's own registrable domain, sorted, without duplicates. Credentials
 * would go to them, so the owner must accept them. Ports do not matter.
 */
export function foreignHosts(siteUrl: string, manifest: Manifest): string[] {
  const site = registrableDomain(new URL(siteUrl).hostname)
  const hosts = addresses(manifest).map((address) => new URL(address).hostname)
  return [...new Set(hosts.filter((host) => registrableDomain(host) !== site))].toSorted()
}

function addresses({ server, auth }: Manifest): string[] {
  if (auth.type !== 'oauth2') return [server.url]
  const { authorization_url: authorization, token_url: token, revocation_url: revocation } = auth
  return [server.url, authorization, token, ...(revocation === undefined ? [] : [revocation])]
}
