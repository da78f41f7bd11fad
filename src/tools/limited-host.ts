/**
 * The key of limits, holds and suspensions of outgoing calls (docs/specification.md, "Limits"): the host name. Ports do
 * not multiply it, unless OUTGOING_COUNT_PORTS says so. A final dot does not either.
 */
export function limitedHost(url: string, { countPorts }: { countPorts: boolean }): string {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/\.$/, '')
  return countPorts && port !== '' ? `${host}:${port}` : host
}
