import type { Context } from 'koa'
import type { CodedError } from '../../src/errors.ts'
import { setCookie, type Cookie } from './cookies.ts'
import { renderPage, type PageText } from './page.ts'

/** The response of a browser route: a redirect, or a page for people and its content for other clients. */
export type BrowserAnswer = { cookie?: BindingCookie; cookies?: readonly Cookie[] } & (
  | { location: string }
  // Without content, every client gets the page.
  | { page: PageText; content?: Record<string, unknown> }
)

/**
 * A cookie that ties a browser to a flow that it started. Lax, because the browser returns by a link of another site.
 */
type BindingCookie = Omit<Cookie, 'sameSite'>

/** Whether the client prefers a page to JSON. Only browsers do. */
const wantsPage = (ctx: Context): boolean => ctx.accepts('json', 'html') === 'html'

/** Whether the client names JSON and prefers it to a page. A wildcard does not count. */
export const asksForJson = (ctx: Context): boolean => ctx.accepts('html', 'json') === 'json'

/** Answers a HEAD request without the effects of a GET. */
export function sendHead(ctx: Context): void {
  ctx.type = 'text/html; charset=utf-8'
  ctx.status = 200
}

/**
 * Whether a browser prefetches the address, in which case nothing may be used up. Chromium and Safari send one header,
 * older Firefox another.
 */
export const isPrefetch = (ctx: Context): boolean =>
  ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) =>
    /\bprefetch|\bprerender|\bpreview/i.test(ctx.get(name)),
  )

/** Refuses a prefetch. The browser discards the response and repeats the request when the user opens the page. */
export function refusePrefetch(ctx: Context): void {
  ctx.vary('Sec-Purpose, Purpose, X-Purpose, X-Moz')
  ctx.type = 'text/html; charset=utf-8'
  ctx.status = 503
  ctx.body = ''
}

/** Percent-encodes an address for a header, except for visible ASCII, as browsers do. */
const inHeader = (address: string): string =>
  address.toWellFormed().replaceAll(/[^\x21-\x7e]+/g, (text) => encodeURIComponent(text))

/** Sends the response. A redirect is a 303, which a browser always follows by GET (RFC 9700, 4.12). */
export function sendToBrowser(
  ctx: Context,
  answer: BrowserAnswer,
  baseUrl: string,
  present: (content: unknown) => unknown,
) {
  if (answer.cookie) setCookie(ctx, { ...answer.cookie, sameSite: 'lax' }, baseUrl)
  for (const cookie of answer.cookies ?? []) setCookie(ctx, cookie, baseUrl)
  if ('location' in answer) {
    ctx.body = null
    ctx.set('Location', inHeader(answer.location))
    ctx.status = 303
    return
  }
  ctx.status = 200
  if (!answer.content || wantsPage(ctx)) sendPage(ctx, answer.page)
  else ctx.body = present(answer.content)
}

/** Replaces the JSON of an error with a page, for browsers. */
export function sendErrorPage(ctx: Context, error: CodedError): void {
  if (wantsPage(ctx)) sendPage(ctx, { title: 'Something went wrong', text: [error.message], good: false })
}

function sendPage(ctx: Context, page: PageText): void {
  ctx.type = 'text/html; charset=utf-8'
  ctx.set(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  )
  ctx.body = renderPage(page)
}
