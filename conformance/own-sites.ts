import { openOwnSite, type OwnSite } from './own-site.ts'
import type { Facts } from './facts.ts'
import { createOnce } from './once.ts'

/** The ports by use: limits and holds are counted for each one. */
const places = { plain: 0, oauth: 1, limited: 2, held: 3, manifests: 4, leaving: 5, queue: 6, shortOauth: 7 } as const

export type PlaceOfSite = keyof typeof places

export type OwnSites = ReturnType<typeof createOwnSites>

/** The checker's own sites, each opened when the first row asks for it. */
export function createOwnSites(facts: Facts | undefined) {
  const once = createOnce()
  const opened: OwnSite[] = []

  async function open(place: PlaceOfSite): Promise<OwnSite> {
    const { ports = [], ...tls } = facts?.ownSites ?? { certFile: '', keyFile: '' }
    const auth = place === 'oauth' || place === 'shortOauth' ? 'oauth2' : 'bearer'
    const site = await openOwnSite({ port: ports[places[place]] ?? 0, tls, auth })
    opened.push(site)
    return site
  }

  return {
    at: (place: PlaceOfSite): Promise<OwnSite> => once(place, () => open(place)),
    close: () => Promise.all(opened.map((site) => site.close().catch(() => undefined))),
  }
}
