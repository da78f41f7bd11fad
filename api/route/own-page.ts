import { assertThat } from '../../src/errors.ts'

type Header = (name: string) => string | undefined

/**
 * Whether a page of this platform sends the request; undefined if no header says so, as with programs. Browsers set
 * `Sec-Fetch-Site` themselves, so it decides (Fetch Metadata, 2.2). Over plain http they send only `Origin`.
 */
function isOfOwnPage(header: Header, baseUrl: string): boolean | undefined {
  const site = header('sec-fetch-site')
  if (site !== undefined) return site === 'same-origin'
  const origin = header('origin')
  return origin === undefined ? undefined : origin === new URL(baseUrl).origin
}

/** Refuses requests from pages of other origins, including other subdomains, with PERMISSION_DENIED. */
export function refuseOtherPages(header: Header, baseUrl: string): void {
  assertThat(isOfOwnPage(header, baseUrl) !== false, 'PERMISSION_DENIED', { message: foreign })
}

/** Refuses a request with PERMISSION_DENIED unless its headers show that a page of this platform sends it. */
export function requireOwnPage(header: Header, baseUrl: string): void {
  assertThat(isOfOwnPage(header, baseUrl) === true, 'PERMISSION_DENIED', { message: foreign })
}

const foreign =
  "Cookies work only on this platform's pages. The request must have the platform's origin in the Origin header, or Sec-Fetch-Site: same-origin. From other pages, send the access token in the Authorization header."
