import type { Config } from '../config/config.ts'
import { version } from '../version.ts'
import { createOwnFetch } from './own-fetch.ts'
import { createSafeFetch } from './safe-fetch.ts'

/** The ways out of a process: to sites, to sites and hosts that the operator named, and to the platform itself. */
export function createWaysOut(config: Pick<Config, 'http' | 'sites' | 'signIn'>) {
  const { baseUrl } = config.http
  const sites = createSafeFetch({ ...config.sites, baseUrl, version })
  const trusted = createSafeFetch({ ...trustedSites(config), baseUrl, version })
  const own = createOwnFetch(config.sites)
  return {
    sites,
    trusted,
    own,
    close: async (): Promise<void> => void (await Promise.all([sites.close(), trusted.close(), own.close()])),
  }
}

/** Sites that may have private addresses, including those of sign-in providers, which the operator named. */
function trustedSites({ sites, signIn }: Pick<Config, 'sites' | 'signIn'>) {
  const hosts = signIn.providers.map(({ issuer }) => new URL(issuer))
  return {
    ...sites,
    allow: [...sites.allow, ...hosts.map(({ hostname, port }) => `${hostname}:${port || '443'}`)],
    loopback: true,
  }
}
