import { openOwnSite, type OwnSite } from './own-site.ts'
import { Untried } from './deviation.ts'
import type { Facts } from './facts.ts'
import { createOnce } from './once.ts'
import { sitePorts, type SitePort } from './site-ports.ts'

export type OwnSites = ReturnType<typeof createOwnSites>

/**
 * The checker's own sites. Each is opened for the first row that needs it. If its port cannot be opened, the row is
 * not tried.
 */
export function createOwnSites(facts: Facts | undefined) {
  const once = createOnce()
  const opened: OwnSite[] = []

  async function open(place: SitePort): Promise<OwnSite> {
    const { ports = [], ...tls } = facts?.ownSites ?? { certFile: '', keyFile: '' }
    const port = ports[sitePorts[place]] ?? 0
    const auth = place === 'oauth' || place === 'shortOauth' ? 'oauth2' : 'bearer'
    const site = await openOwnSite({ port, tls, auth }).catch((error: NodeJS.ErrnoException) => {
      throw new Untried(whyClosed(port, error))
    })
    opened.push(site)
    return site
  }

  return {
    at: (place: SitePort): Promise<OwnSite> => once(place, () => open(place)),
    close: () => Promise.all(opened.map((site) => site.close().catch(() => undefined))),
  }
}

const whyClosed = (port: number, { code, message }: NodeJS.ErrnoException): string =>
  code === 'EADDRINUSE'
    ? `Port ${port} is taken: another check is running, or another program has it (CONFORMANCE_PORTS).`
    : `The check cannot serve a site at port ${port}: ${code ?? message}`
