/**
 * What the limits, holds and suspensions of outgoing calls go by (docs/specification.md, "Limits"): the host name. Ports do not multiply it, unless OUTGOING_COUNT_PORTS says so; nor does a dot at the end.
 */
export function limitedHost(url: string, { countPorts }: { countPorts: boolean }): string {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/\.$/, '')
  return countPorts && port !== '' ? `${host}:${port}` : host
}
