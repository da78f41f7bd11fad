import { getDomain } from 'tldts'
import type { Manifest } from './manifest.ts'

/**
 * The hosts in a manifest that are not on the site's own registrable domain, sorted, without duplicates. Credentials
 * would go to them, so the owner must accept them. Private suffixes count as public ones: one user of `github.io` does
 * not speak for another. Ports do not matter.
 */
export function foreignHosts(siteUrl: string, manifest: Manifest): string[] {
  const site = ownerOf(new URL(siteUrl).hostname)
  const hosts = addresses(manifest).map((address) => new URL(address).hostname)
  return [...new Set(hosts.filter((host) => ownerOf(host) !== site))].toSorted()
}

function addresses({ server, auth }: Manifest): string[] {
  if (auth.type !== 'oauth2') return [server.url]
  const { authorization_url: authorization, token_url: token, revocation_url: revocation } = auth
  return [server.url, authorization, token, ...(revocation === undefined ? [] : [revocation])]
}

/** The registrable domain, or the host itself if it has none: IP addresses, localhost, a public suffix. */
function ownerOf(hostname: string): string {
  const host = hostname.replace(/\.$/, '')
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}
