import type { LookupAddress, LookupAllOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { SafeFetchError } from './safe-fetch-error.ts'

/** A resolver that returns every address of a name, as `dns.lookup` with `all` does. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/**
 * The `lookup` of a connection: resolves the name once and returns only checked addresses. The socket connects to
 * exactly these, so a later DNS answer (DNS rebinding) has no effect. One forbidden address rejects the whole answer: a
 * mixed answer is an attack or a mistake. Fails with a SafeFetchError of reason `dns` (error or empty answer) or
 * `refused-name`.
 */
export function createCheckedLookup(lookup: Lookup, permits: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      const fail = (reason: 'dns' | 'refused-name', code?: string) =>
        callback(new SafeFetchError(reason, { maybeSent: false, host: hostname, code }), [])
      if (error || !first) return fail('dns', error?.code)
      if (!addresses.every(({ address }) => permits(address))) return fail('refused-name')
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family)
    })
  }
}
