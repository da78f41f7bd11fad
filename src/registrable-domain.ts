import { getDomain } from 'tldts'

/**
 * The registrable domain of a host name, or the host itself if it has none: IP addresses, localhost, a public suffix.
 * Private suffixes count as public ones, because users of `github.io` are independent.
 */
export function registrableDomain(hostname: string): string {
  const host = hostname.replace(/\.$/, '')
  return getDomain(host, { allowPrivateDomains: true }) ?? host
}
