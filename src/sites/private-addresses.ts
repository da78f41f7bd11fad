import type { ErrorDetail } from '../errors.ts'
import { hostAndPort, isPrivateLiteral, readPair } from '../safe-fetch/outgoing-request.ts'
import { addressesOf } from './manifest/foreign-hosts.ts'
import type { Manifest } from './manifest/manifest.ts'

/**
 * Makes the function that finds the addresses in a manifest whose host is a private IP address or this machine (RFC
 * 6761, 6.3), unless `allow` lists them. The platform would not connect there anyway; but a browser follows
 * `authorization_url`, and it is in the user's own network.
 */
export function createPrivateAddresses(allow: readonly string[]) {
  const allowed = new Set(allow.map(readPair))
  const isRefused = (url: URL): boolean =>
    (isPrivateLiteral(url) || /(?:^|\.)localhost$/.test(url.hostname)) && !allowed.has(hostAndPort(url))
  return (manifest: Manifest): ErrorDetail[] =>
    Object.entries(addressesOf(manifest)).flatMap(([path, address]) =>
      isRefused(new URL(address)) ? [{ path, message: 'is an address that is not on the public internet' }] : [],
    )
}
