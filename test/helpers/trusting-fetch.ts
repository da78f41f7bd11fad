import { readFileSync } from 'node:fs'
import type { ExecutionContext } from 'ava'
import { Agent, fetch as fetchWith } from 'undici'

/** Node's own fetch refuses a dispatcher of this version, and the declarations of the two differ. */
const ask = fetchWith as unknown as (input: string, init: object) => Promise<Response>

/** `fetch` that trusts an authority of this machine. Its connections are broken at the end of the test. */
export function trustingFetch(t: ExecutionContext, caFile: string) {
  const dispatcher = new Agent({ connect: { ca: readFileSync(caFile) } })
  t.teardown(() => dispatcher.destroy())
  return (url: string, init: RequestInit = {}): Promise<Response> => ask(url, { ...init, dispatcher })
}
