import type { Config } from '../config/config.ts'
import { assertThat } from '../errors.ts'
import { readAllowedSites } from './allowed-sites.ts'
import { parseSiteUrl } from './site-url.ts'

/**
 * Reads the address of an owner's server that gets signed requests, and normalizes it. An IP address is checked here; a
 * host name is checked on connecting. INVALID_URL.
 */
export function createReceiverUrl({ sites }: { sites: Pick<Config['sites'], 'allow' | 'loopback'> }) {
  const allowed = readAllowedSites(sites)
  return (text: string): string => {
    const url = parseSiteUrl(text)
    const message = "The URL's host is not a public internet address."
    assertThat(!allowed.refuses(url), 'INVALID_URL', { message })
    return url.href
  }
}
