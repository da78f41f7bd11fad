import type { createSafeFetch, SafeFetch } from '../../../src/safe-fetch/safe-fetch.ts'
import { bytesOf, headersOf, toHeard, type DefectiveSite } from './defective-site.ts'

/** At this origin nobody listens. */
export const nowhere = 'https://127.0.0.1:64996'

/**
 * The door of a checker to a site that is asked in this process, which takes a hundredth of the time. Whatever only a
 * network can show (another host, a connection that is cut, an answer that is too long) is an error of the test.
 */
export const doorTo = (site: DefectiveSite): typeof createSafeFetch => {
  const fetch: SafeFetch = async ({ url, method, headers, body = '', maxBytes }) => {
    if (new URL(url).origin !== site.origin) throw new Error(`Only a network leads to ${url}`)
    const sent = new Headers(headers)
    const said = site.answer(toHeard(method, url, (name) => sent.get(name) ?? '', body))
    if (typeof said === 'string') throw new Error(`Only over a network can a site ${said}`)
    const bytes = bytesOf(said)
    if (bytes.length > maxBytes) throw new Error(`Only over a network are ${bytes.length} bytes too many`)
    return { status: said.status, headers: new Headers(headersOf(said)), body: bytes }
  }
  return () => ({ fetch, close: () => Promise.resolve() })
}

/** A browser whose user has signed in at the site already: it is sent back at once. */
export const signedInAt =
  ({ answer }: DefectiveSite) =>
  (url: string): Promise<string> => {
    const said = answer(toHeard('GET', url, () => '', ''))
    return Promise.resolve(String(typeof said === 'string' ? undefined : said.headers?.['Location']))
  }
