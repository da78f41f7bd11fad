import type { Context } from 'koa'
import type { CodedError } from '../../src/errors.ts'
import { renderPage, type PageText } from './page.ts'

/** What a route that browsers open answers: on to another address, or a page for people and its content for clients. */
export type BrowserAnswer = { cookie?: BindingCookie } & (
  | { location: string }
  // Without content it is a page for everybody.
  | { page: PageText; content?: Record<string, unknown> }
)

/** A cookie that ties a browser to one thing it has begun. */
export interface BindingCookie {
  name: string
  value: string
  path: string
  maxAgeSeconds: number
}

/** Whether the client would rather have a page for people than JSON: browsers say so, other clients do not. */
const wantsPage = (ctx: Context): boolean => ctx.accepts('json', 'html') === 'html'

/** Whether the client names JSON, and rather than a page; taking anything is not asking for it. */
export const asksForJson = (ctx: Context): boolean => ctx.accepts('html', 'json') === 'json'

/** Answers a HEAD request: there is something at this address. What is not asked for by GET is not done. */
export function sendHead(ctx: Context): void {
  ctx.type = 'text/html; charset=utf-8'
  ctx.status = 200
}

/** Sends the answer. A redirect is a 303, after which a browser asks by GET whatever it did before (RFC 9700, 4.12). */
export function sendToBrowser(
  ctx: Context,
  answer: BrowserAnswer,
  baseUrl: string,
  present: (content: unknown) => unknown,
) {
  if (answer.cookie) setCookie(ctx, answer.cookie, baseUrl)
  if ('location' in answer) {
    ctx.body = null
    ctx.set('Location', answer.location)
    ctx.status = 303
    return
  }
  ctx.status = 200
  if (!answer.content || wantsPage(ctx)) sendPage(ctx, answer.page)
  else ctx.body = present(answer.content)
}

/** The page in the place of an error's JSON, for people who came with their browser. */
export function sendErrorPage(ctx: Context, error: CodedError): void {
  if (wantsPage(ctx)) sendPage(ctx, { title: 'That did not work', text: [error.message], good: false })
}

function sendPage(ctx: Context, page: PageText): void {
  ctx.type = 'text/html; charset=utf-8'
  ctx.set(
    'Content-Security-Policy',
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  )
  ctx.body = renderPage(page)
}

/** Lax, because the browser comes back from another site by a link; not for scripts, and for these addresses only. */
function setCookie(ctx: Context, { name, value, path, maxAgeSeconds }: BindingCookie, baseUrl: string): void {
  const secure = baseUrl.startsWith('https:')
  // TLS may end at a proxy in front of us; what browsers see is what BASE_URL says.
  ctx.cookies.secure = secure
  ctx.cookies.set(name, value, { httpOnly: true, sameSite: 'lax', path, secure, maxAge: maxAgeSeconds * 1000 })
}
