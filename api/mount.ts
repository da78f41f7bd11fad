import type { Context, Middleware } from 'koa'
import * as v from 'valibot'
import { assertThat, CodedError } from '../src/errors.ts'
import type { Services } from '../src/services.ts'
import { requireAdmin, requireScope, requireTerms, type Caller } from '../src/users/caller.ts'
import { bodyReader, hasBody, readJsonBody, requireJson, type BodyReader } from './body.ts'
import { asksForJson, sendHead, sendToBrowser, type BrowserAnswer } from './browser.ts'
import { asksForStream, createFormat, sendEventStream } from './event-stream.ts'
import type { OpenStreams } from './open-streams.ts'
import { isAlternative, isStrict, limitOf, needsLogin, needsTerms, type AnyRoute, type RequestFacts } from './route.ts'
import { validated } from './validation.ts'

/** Turns a route's declaration into the Koa middleware that carries it out, check by check. */
export function mount(route: AnyRoute, services: Services, streams: OpenStreams): Middleware {
  const readBytes = route.rawBody && bodyReader(route.rawBody.maxBytes(services))
  const readSmall = bodyReader(services.config.bodies.defaultBytes)
  const { stream } = route
  const format = createFormat((item) => present(route, item, stream?.item))
  return async (ctx) => {
    ctx.state['browser'] = route.browser
    const request = facts(ctx)
    if (limitOf(route) === 'address') await services.rateLimits.auth(request.address)
    if (limitOf(route) === 'browser') await services.rateLimits.browser(request.address)
    // The router takes HEAD for GET, and what browsers open is used up by being opened.
    if (route.browser && ctx.method === 'HEAD') return sendHead(ctx)
    const caller = route.access === 'anyone' ? undefined : await authenticate(services, ctx)
    if (limitOf(route) === 'caller' && caller) await services.rateLimits.caller(caller.apiKeyId ?? caller.userId)
    if (caller && needsTerms(route)) requireTerms(caller)
    const readRaw = once(async () => (readBytes ? readBytes(ctx) : Buffer.alloc(0)))
    const before = { services, caller, params: ctx['params'] as Record<string, string>, request, readRaw }
    const resource = route.resource ? await route.resource(before) : undefined
    if (caller) permit(route, caller)
    const query = isStrict(route) || route.query ? parseQuery(route.query ?? nothing, ctx) : undefined
    // Not before: the resource may be found by a signature over the body, about which its type says nothing.
    if (readBytes) requireJson(ctx)
    const raw = await readRaw()
    const body = await parseBody(route, readSmall, ctx)
    const input = { ...before, query, body, raw, resource }
    if (stream) ctx.vary('Accept')
    if (stream && asksForStream(ctx)) {
      const admit = () => admitAgain(route, ctx, before)
      const open = (signal: AbortSignal) => stream.open({ ...input, signal })
      return sendEventStream(ctx, { ...services, streams, format, admit, open })
    }
    const answer = await route.handle(input)
    if (route.browser) {
      const { baseUrl } = services.config.http
      return sendToBrowser(ctx, answer as BrowserAnswer, baseUrl, (content) => present(route, content))
    }
    const { status, content, schema } = chosen(route, answer)
    ctx.status = status
    ctx.body = schema ? present(route, content, schema) : null
  }
}

/** A body can be read once; whoever asks later gets what came. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= work())
}

const facts = (ctx: Context): RequestFacts => ({
  id: ctx.state['requestId'] as string,
  address: ctx.ip,
  // An empty header is not an absent one: an empty idempotency key, for example, is a mistake of the sender.
  cookie: (name) => ctx.cookies.get(name),
  search: ctx.querystring,
  asksForJson: asksForJson(ctx),
  header: (name) => (ctx.headers[name.toLowerCase()] === undefined ? undefined : ctx.get(name)),
})

async function authenticate(services: Services, ctx: Context): Promise<Caller> {
  const caller = await services.users.authenticate(ctx.get('authorization') || undefined)
  ctx.state['userId'] = caller.userId
  return caller
}

/** After the resource was found: what one may not see is not there, whatever one may do. */
function permit(route: AnyRoute, caller: Caller): void {
  requireScope(caller, route.method === 'get' ? 'read' : 'write')
  assertThat(!needsLogin(route) || caller.via === 'login', 'PERMISSION_DENIED', {
    message: 'This operation needs the access token of a login; an API key cannot do it.',
  })
  if (route.access === 'admin') requireAdmin(caller)
}

/** The checks that a request had to pass, for a stream that began long ago; it is not counted again. */
async function admitAgain(
  route: AnyRoute,
  ctx: Context,
  before: Parameters<NonNullable<AnyRoute['resource']>>[0],
): Promise<void> {
  const caller = route.access === 'anyone' ? undefined : await authenticate(before.services, ctx)
  if (caller && needsTerms(route)) requireTerms(caller)
  await route.resource?.({ ...before, caller })
  if (caller) permit(route, caller)
}

const parseQuery = (schema: v.GenericSchema, ctx: Context): unknown =>
  validated(schema, { ...ctx.query }, 'The query is not valid.')

/** A route without a body takes none, or an empty object: what somebody writes there would silently have no effect. */
async function parseBody(route: AnyRoute, read: BodyReader, ctx: Context): Promise<unknown> {
  if (!route.body && (route.method === 'get' || !isStrict(route) || !hasBody(ctx))) return undefined
  const value = await readJsonBody(ctx, read)
  return validated((route.body as v.GenericSchema | undefined) ?? nothing, value, 'The request body is not valid.')
}

const nothing = v.strictObject({})

/** The usual success, or the other one that the handler has chosen. */
function chosen(route: AnyRoute, answer: unknown) {
  if (!isAlternative(answer)) return { status: route.status, content: answer, schema: route.response as Schema }
  const { status, content } = answer
  return { status, content, schema: route.alternatives?.[status]?.response }
}

type Schema = v.GenericSchema | undefined

/** Drops what the declaration does not name, and refuses to send what contradicts it. */
function present(route: AnyRoute, answer: unknown, schema: Schema = route.response as Schema): unknown {
  const result = v.safeParse(schema as v.GenericSchema, answer)
  if (result.success) return result.output
  const places = result.issues.map((issue) => `${v.getDotPath(issue) ?? '(whole)'}: ${issue.type}`).join(', ')
  throw new CodedError('INTERNAL_ERROR', { privateDetail: `${route.name} broke its response declaration at ${places}` })
}
