import { isIP } from 'node:net'
import { kindOfAddress, readNetwork, type Network } from './ip-ranges.ts'

/** The operator's exceptions besides the public internet (`SITE_ALLOW`, `--allow`). */
export interface SiteAllowance {
  /** Hosts, `*.` domains and networks, each with or without a port. */
  allow: readonly string[]
  /** Whether allowed sites may be on this machine, for development. */
  loopback: boolean
}

export interface AllowedSites {
  /** Whether the platform may connect to this host at this address, its own or that of its name. */
  permits(url: URL, address: string): boolean
  /** Whether a URL's host is refused as written: as an address, or as a name of this machine. */
  refuses(url: URL): boolean
}

interface Rule {
  port: string | undefined
  host?: (hostname: string) => boolean
  network?: Network
}

/**
 * Reads the allowed sites. An entry opens private addresses only, and loopback in development. Link-local addresses and
 * the metadata services of clouds always stay closed. Throws a sentence about the first wrong entry.
 */
export function readAllowedSites({ allow, loopback }: SiteAllowance): AllowedSites {
  const rules = allow.map((entry, index) => readRule(entry, { place: index + 1, loopback }))
  const allows = (url: URL, address: string): boolean =>
    rules.some(({ port, host, network }) => {
      if (port !== undefined && port !== (url.port || '443')) return false
      return network ? network.has(address) : host?.(url.hostname)
    })
  const permits = (url: URL, address: string): boolean => {
    const kind = kindOfAddress(address)
    if (kind === 'public' || kind === 'never') return kind === 'public'
    return (kind === 'private' || loopback) && allows(url, address)
  }
  return {
    permits,
    refuses(url) {
      const host = bareHost(url.hostname)
      // Names of this machine (RFC 6761, 6.3).
      if (/(?:^|\.)localhost$/.test(host)) return !loopback || !allows(url, '127.0.0.1')
      return isIP(host) !== 0 && !permits(url, host)
    },
  }
}

/** The problems of all wrong entries, as the end of a sentence about the setting; undefined if there are none. */
export function allowanceProblem({ allow, loopback }: SiteAllowance): string | undefined {
  const problems = allow.flatMap((entry, index) => {
    try {
      readRule(entry, { place: index + 1, loopback })
      return []
    } catch (error) {
      return [(error as Error).message]
    }
  })
  return problems.length === 0 ? undefined : problems.join('; ')
}

const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/** `[fd12::/16]:8443`, `fd12::/16`, or at most one colon, before the port. */
const shapes = [
  /^\[(?<what>[^\]]+)\](?::(?<port>\d+))?$/,
  /^(?<what>[^:]*:.*:.*)$/,
  /^(?<what>[^:]+)(?::(?<port>\d+))?$/,
]

function readRule(entry: string, { place, loopback }: { place: number; loopback: boolean }): Rule {
  const { what = '', port } = shapes.map((shape) => shape.exec(entry)?.groups).find(Boolean) ?? {}
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535))
    throw wrong(place, 'has a port that is not between 1 and 65535')
  const at = port === undefined ? undefined : String(Number(port))
  const network = readNetwork(what)
  if (network) {
    assertOpen(place, network.kind, loopback)
    return { port: at, network }
  }
  const domain = what.startsWith('*.')
  const name = hostnameOf(domain ? what.slice(2) : what)
  if (name === undefined || (domain && isIP(bareHost(name)) !== 0)) throw wrong(place, noForm)
  if (isIP(bareHost(name)) !== 0) assertOpen(place, kindOfAddress(bareHost(name)), loopback)
  if (/(?:^|\.)localhost$/.test(name)) assertOpen(place, 'loopback', loopback)
  return { port: at, host: domain ? (hostname) => hostname.endsWith(`.${name}`) : (hostname) => hostname === name }
}

/** As URLs write it: lower case, names in Punycode, numbers as addresses. */
function hostnameOf(text: string): string | undefined {
  const url = /^[^\s/?#@\\%*]+$/.test(text) ? URL.parse(`https://${text.includes(':') ? `[${text}]` : text}`) : null
  return url?.hostname.replace(/\.$/, '')
}

const noForm =
  'is not a host, *.domain or network, with an optional port, such as crm.corp.example, *.corp.example:8443 or 10.20.0.0/16'

function assertOpen(
  place: number,
  kind: 'public' | 'private' | 'loopback' | 'never' | undefined,
  loopback: boolean,
): void {
  if (kind === 'loopback' && !loopback) {
    throw wrong(
      place,
      'is this machine, which is allowed only during development (SITE_LOOPBACK, which npm start sets)',
    )
  }
  if (kind === 'never') throw wrong(place, 'is an address that is never allowed')
  if (kind === undefined)
    throw wrong(
      place,
      'is not in a private network (10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16, 100.64.0.0/10 or fc00::/7)',
    )
}

/** The entry is not quoted: it may be a secret in the wrong variable. */
const wrong = (place: number, problem: string): Error => new Error(`entry ${place} ${problem}`)
