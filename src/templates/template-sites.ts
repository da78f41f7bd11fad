import type { KnownSite } from '../catalogue/catalogue.ts'
import { assertThat } from '../errors.ts'

/** The sites of the catalogue by their ids, as one owner has them. */
export type KnownSites = ReadonlyMap<string, KnownSite>

/** Why a template cannot use a site: it needs one that the owner has connected, or that connects without the owner. */
export function problemOf(id: string, sites: KnownSites): string | undefined {
  const site = sites.get(id)
  if (!site)
    return `The catalogue of this installation has no site named ${JSON.stringify(id)}, which the template uses. Connect a site of your own with POST /vault, and create an agent for it with POST /agents.`
  const { name, address, authType, token, vaultEntryId } = site
  return vaultEntryId !== null || authType === 'none' || token !== undefined
    ? undefined
    : `The template uses the site ${JSON.stringify(name)}. Connect it first: its address is ${address}.`
}

/** The site, if a template can use it now. NOT_FOUND with the problem otherwise. */
export function assertUsable(id: string, sites: KnownSites): KnownSite {
  const site = sites.get(id)
  const message = problemOf(id, sites)
  assertThat(site && message === undefined, 'NOT_FOUND', { message: message ?? '' })
  return site
}
