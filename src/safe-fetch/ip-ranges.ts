import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Addresses that no public site has: the IANA special-purpose registries (RFC 6890 and its updates), and additions of
 * cloud providers. Our own list shows every refused range in one place.
 */
const specialIPv4 = [
  '0.0.0.0/8', // "this network"; Linux connects 0.0.0.0 to itself
  '10.0.0.0/8', // private, RFC 1918
  '100.64.0.0/10', // carrier-grade NAT, RFC 6598; Alibaba's metadata service 100.100.100.200
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's platform service: a public number that only virtual machines there can reach
  '169.254.0.0/16', // link-local, RFC 3927; metadata services 169.254.169.254 and 169.254.170.2
  '172.16.0.0/12', // private, RFC 1918
  '192.0.0.0/24', // protocol assignments, RFC 6890; Oracle's metadata service 192.0.0.192
  '192.0.2.0/24', // documentation, RFC 5737
  '192.31.196.0/24', // AS112, RFC 7535
  '192.52.193.0/24', // AMT, RFC 7450
  '192.88.99.0/24', // 6to4 relays, RFC 7526
  '192.168.0.0/16', // private, RFC 1918
  '192.175.48.0/24', // AS112, RFC 7534
  '198.18.0.0/15', // benchmarks, RFC 2544
  '198.51.100.0/24', // documentation, RFC 5737
  '203.0.113.0/24', // documentation, RFC 5737
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and 255.255.255.255, broadcast
].map((range) => ipaddr.parseCIDR(range))

/**
 * All global unicast addresses of IPv6 (RFC 4291, section 2.4). Excluded are loopback, IPv4-mapped, -compatible and
 * -translated, NAT64 (64:ff9b::/96, 64:ff9b:1::/48), unique local (including fd00:ec2::254), link-local, site-local and
 * multicast.
 */
const globalIPv6 = ipaddr.parseCIDR('2000::/3')

const specialIPv6 = [
  '2001::/23', // protocol assignments, RFC 2928: Teredo 2001::/32, benchmarks 2001:2::/48, ORCHID 2001:20::/28
  '2001:db8::/32', // documentation, RFC 3849
  '2002::/16', // 6to4, RFC 3056: carries any IPv4 address, private ones too
  '2620:4f:8000::/48', // AS112, RFC 7534
  '3fff::/20', // documentation, RFC 9637
].map((range) => ipaddr.parseCIDR(range))

/**
 * Whether a text is an IP address, in standard notation, of a public site: globally routable unicast. False for
 * everything else, including other text (OWASP API7:2023, server-side request forgery).
 */
export function isPublicAddress(text: string): boolean {
  // A zone (RFC 4007) names an interface of this machine.
  if (isIP(text) === 0 || text.includes('%')) return false
  const address = ipaddr.parse(text)
  const within = (range: Range) => contains(range, address)
  if (address.kind() === 'ipv4') return !specialIPv4.some(within)
  return within(globalIPv6) && !specialIPv6.some(within)
}

/** The kind of host of an address. `never`: no site, whatever an operator allows. */
export type AddressKind = 'public' | 'private' | 'loopback' | 'never'

const loopback = ['127.0.0.0/8', '::1/128'].map((range) => ipaddr.parseCIDR(range))

/** The private networks of organisations (RFC 1918, 4193 and 6598). */
const privateNetworks = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'].map((range) =>
  ipaddr.parseCIDR(range),
)

/** Services within them that give a machine's credentials to any local caller. */
const metadata = [
  '100.100.100.0/24', // Alibaba
  'fd00:42::/32', // Scaleway
  'fd00:c1::/32', // Oracle
  'fd00:ec2::/32', // Amazon
  'fd20:ce::/32', // Google
].map((range) => ipaddr.parseCIDR(range))

export function kindOfAddress(text: string): AddressKind {
  if (isPublicAddress(text)) return 'public'
  if (isIP(text) === 0 || text.includes('%')) return 'never'
  const address = ipaddr.parse(text)
  if (loopback.some((range) => contains(range, address))) return 'loopback'
  if (metadata.some((range) => contains(range, address))) return 'never'
  return privateNetworks.some((range) => contains(range, address)) ? 'private' : 'never'
}

/** A network as `10.20.0.0/16` or `fd12::/16`. */
export interface Network {
  /** The kind of all its addresses, apart from metadata services; undefined if mixed. */
  kind: 'private' | 'loopback' | undefined
  has(address: string): boolean
}

/** Reads a network (CIDR, RFC 4632 and 4291); undefined for any other text. */
export function readNetwork(text: string): Network | undefined {
  if (!ipaddr.isValidCIDR(text)) return undefined
  const [base, bits] = ipaddr.parseCIDR(text)
  const within = ([range, width]: Range) => bits >= width && contains([range, width], base)
  const kind = privateNetworks.some(within) ? 'private' : loopback.some(within) ? 'loopback' : undefined
  return { kind, has: (address) => isIP(address) !== 0 && contains([base, bits], ipaddr.parse(address)) }
}

type Range = ReturnType<typeof ipaddr.parseCIDR>

const contains = (range: Range, address: ReturnType<typeof ipaddr.parse>): boolean =>
  address.kind() === range[0].kind() && address.match(range)
