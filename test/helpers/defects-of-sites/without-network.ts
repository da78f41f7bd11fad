import type { Wish } from '../../../check-site/options.ts'
import type { createSafeFetch, SafeFetch } from '../../../src/safe-fetch/safe-fetch.ts'
import { bytesOf, headersOf, toSiteRequest, type DefectiveSite } from './defective-site.ts'

/** Nothing listens at this origin. */
export const nowhere = 'https://127.0.0.1:64996'

/**
 * Connects a checker to a site in this process, which takes a hundredth of the time. Anything that needs a network
 * (another host, an oversized response) is an error of the test.
 */
export const doorTo = (site: DefectiveSite): typeof createSafeFetch => {
  const fetch: SafeFetch = async ({ url, method, headers, body = '', maxBytes }) => {
    if (new URL(url).origin !== site.origin) throw new Error(`Only a network leads to ${url}`)
    const sent = new Headers(headers)
    const response = site.answer(toSiteRequest(method, url, (name) => sent.get(name) ?? '', body))
    const bytes = bytesOf(response)
    if (bytes.length > maxBytes) throw new Error(`Only over a network are ${bytes.length} bytes too many`)
    return { status: response.status, headers: new Headers(headersOf(response)), body: bytes }
  }
  const stream = () => Promise.reject(new Error('The checker reads whole answers.'))
  return () => ({ fetch, stream, close: () => Promise.resolve() })
}

/** The address that a test's browser opens. Its user follows the checker's wish. */
export const asPerson = (url: string, wish: Wish): string => `${url}&person=${wish}`

/** A browser whose user is already signed in at the site, so it is redirected back immediately. */
export const signedInAt =
  ({ answer }: DefectiveSite) =>
  (url: string, wish: Wish): Promise<string> => {
    const { headers } = answer(toSiteRequest('GET', asPerson(url, wish), () => '', ''))
    return Promise.resolve(String(headers?.['Location']))
  }
