import { isCoded } from '../errors.ts'
import type { Dialect } from '../sites/dialects/dialect.ts'
import type { WantedTools } from '../sites/offered-tools.ts'
import type { DiscoveredSite, Sites } from '../sites/sites.ts'
import type { Clients } from './oauth/clients.ts'

export interface InspectedSite extends DiscoveredSite {
  /** Whether users can sign in there by OAuth, perhaps although the site lists its tools to everybody. */
  offersSignIn: boolean
  /** Whether its owner must register a client there, and with which redirect URI. */
  needsClientId: boolean
  redirectUri: string | null
}

/**
 * Makes the function that reads what a site says before it is connected, and the wanted part of what it offers to choose
 * from. It fails as `Sites.discover` does.
 */
export function createInspection(context: {
  sites: Pick<Sites, 'discover'>
  dialect: Pick<Dialect, 'isPersonal'>
  clients: Pick<Clients, 'needed'>
}) {
  const { sites, dialect, clients } = context

  /**
   * A site as those see it who sign in there, if it lists its tools to everybody too; undefined if it says nothing about
   * that, or offers a choice, which shows it. A sign-in that cannot be used is none: the site can be connected without it.
   */
  async function optionalSignIn(site: DiscoveredSite, party: string): Promise<DiscoveredSite | undefined> {
    if (site.manifest.auth.type !== 'none' || site.offered || !dialect.isPersonal(site.dialect)) return undefined
    const known = { dialect: site.dialect, wantsSignIn: true }
    return sites.discover(site.origin, party, known).catch((error: unknown) => {
      if (isCoded(error)) return undefined
      throw error
    })
  }

  return async (url: string, ownerId: string, shown?: WantedTools): Promise<InspectedSite> => {
    const site = await sites.discover(url, ownerId, { shown })
    const { foreignHosts, manifest } = (await optionalSignIn(site, ownerId)) ?? site
    const offersSignIn = manifest.auth.type === 'oauth2'
    return { ...site, foreignHosts, offersSignIn, ...clients.needed(site.dialect, manifest.auth, site.origin) }
  }
}
