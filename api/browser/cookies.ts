import type { Context } from 'koa'

/** A cookie that no script can read, for this host alone. */
export interface Cookie {
  name: string
  /** An empty one deletes the cookie. */
  value: string
  path: string
  maxAgeSeconds: number
  /** Whether it is sent when another site's link leads here (`lax`), or by our own pages only. */
  sameSite: 'lax' | 'strict'
}

const cookies = Symbol('cookies')

/** An answer that also sets cookies. */
export interface WithCookies {
  [cookies]: readonly Cookie[]
  content: unknown
}

/** A handler returns this to set cookies beside its usual answer. */
export const withCookies = (given: readonly Cookie[], content?: unknown): WithCookies => ({ [cookies]: given, content })

/** Sets the cookies of an answer, and returns the rest of it. */
export function takeCookies(ctx: Context, answer: unknown, baseUrl: string): unknown {
  if (typeof answer !== 'object' || answer === null || !(cookies in answer)) return answer
  const { content, [cookies]: given } = answer as WithCookies
  for (const cookie of given) setCookie(ctx, cookie, baseUrl)
  return content
}

/** Whether browsers reach the platform by https. TLS may end at a proxy in front of us; BASE_URL says what they see. */
export const isSecure = (baseUrl: string): boolean => baseUrl.startsWith('https:')

export function setCookie(ctx: Context, { name, value, path, maxAgeSeconds, sameSite }: Cookie, baseUrl: string): void {
  const secure = isSecure(baseUrl)
  ctx.cookies.secure = secure
  ctx.cookies.set(name, value, { httpOnly: true, sameSite, path, secure, maxAge: maxAgeSeconds * 1000 })
}
