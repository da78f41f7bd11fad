import type { ErrorDetail } from '../errors.ts'
import { readAllowedSites, type SiteAllowance } from '../safe-fetch/allowed-sites.ts'
import { addressesOf } from './foreign-hosts.ts'
import type { Manifest } from './manifest.ts'

/**
 * Makes the function that finds addresses in a manifest whose host is a private IP address or this machine, unless they
 * are allowed. The platform would refuse to connect, but a browser follows `authorization_url` inside the user's
 * network.
 */
export function createPrivateAddresses(allowance: SiteAllowance) {
  const allowed = readAllowedSites(allowance)
  return (manifest: Manifest): ErrorDetail[] =>
    Object.entries(addressesOf(manifest)).flatMap(([path, address]) =>
      allowed.refuses(new URL(address)) ? [{ path, message: 'is not a public internet address' }] : [],
    )
}
