import type { Context } from 'koa'

/** A host-only cookie that scripts cannot read. */
export interface Cookie {
  name: string
  /** An empty value deletes the cookie. */
  value: string
  path: string
  maxAgeSeconds: number
  /** `lax`: also sent when a link of another site leads here. `strict`: sent only by our own pages. */
  sameSite: 'lax' | 'strict'
}

const cookies = Symbol('cookies')

/** A response that also sets cookies. */
export interface WithCookies {
  [cookies]: readonly Cookie[]
  content: unknown
}

/** Adds cookies to the usual response of a handler. */
export const withCookies = (given: readonly Cookie[], content?: unknown): WithCookies => ({ [cookies]: given, content })

/** Sets the cookies of a response, and returns the rest of it. */
export function takeCookies(ctx: Context, answer: unknown, baseUrl: string): unknown {
  if (typeof answer !== 'object' || answer === null || !(cookies in answer)) return answer
  const { content, [cookies]: given } = answer as WithCookies
  for (const cookie of given) setCookie(ctx, cookie, baseUrl)
  return content
}

/** Whether browsers reach the platform over https. BASE_URL decides, because TLS may end at a proxy in front of us. */
export const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:')

export function setCookie(ctx: Context, { name, value, path, maxAgeSeconds, sameSite }: Cookie, baseUrl: string): void {
  const secure = isSecure(baseUrl)
  ctx.cookies.secure = secure
  ctx.cookies.set(name, value, { httpOnly: true, sameSite, path, secure, maxAge: maxAgeSeconds * 1000 })
}
