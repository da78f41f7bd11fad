import type { Context } from 'koa'
import { asksForJson } from '../browser/browser-answer.ts'
import { asksForStream, goneSignal } from '../streams/reader.ts'

/** What a handler may know about the HTTP request. */
export interface RequestFacts {
  id: string
  /** The client's address, behind TRUSTED_PROXIES proxies. */
  address: string
  header: (name: string) => string | undefined
  cookie: (name: string) => string | undefined
  /** The raw query, without the question mark. */
  search: string
  /** Whether the client asks for JSON by name, which browsers and link previews do not. */
  asksForJson: boolean
  asksForStream: boolean
  /** Aborts if the client disconnects before it has the whole response. */
  gone: () => AbortSignal
}

export const factsOf = (ctx: Context): RequestFacts => ({
  id: ctx.state['requestId'] as string,
  address: ctx.ip,
  cookie: (name) => ctx.cookies.get(name),
  search: ctx.querystring,
  asksForJson: asksForJson(ctx),
  asksForStream: asksForStream(ctx),
  gone: () => goneSignal(ctx),
  header: headerOf(ctx),
})

/** Reads a header. An empty header is not absent: an empty idempotency key, for example, is the sender's mistake. */
export const headerOf =
  ({ headers }: Context) =>
  (name: string): string | undefined => {
    const value = headers[name.toLowerCase()]
    return Array.isArray(value) ? value.join(', ') : value
  }

/** Where a request comes from, as logins and the audit log keep it. */
export const clientOf = ({ address, header }: Pick<RequestFacts, 'address' | 'header'>) => ({
  address,
  userAgent: header('user-agent'),
})

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

/** The parameters of a path, as they were sent. */
export type Params<Path extends string> = Record<ParamNames<Path>, string>
