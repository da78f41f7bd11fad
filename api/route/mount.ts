import { setImmediate } from 'node:timers/promises'
import type { Context, Middleware } from 'koa'
import * as v from 'valibot'
import { assertThat } from '../../src/errors.ts'
import { writeJson } from '../../src/json-text.ts'
import { noteInLog } from '../../src/logger.ts'
import type { Services } from '../../src/services.ts'
import { isLarge } from '../../src/threads/large-bodies.ts'
import { requireKept, requireTerms, type Caller } from '../../src/users/caller.ts'
import { announcedBytes, bodyReader, hasBody, outlineIn, readJsonBody, requireJson, type BodyReader } from './body.ts'
import { isPrefetch, refusePrefetch, sendHead, sendToBrowser, type BrowserAnswer } from '../browser/browser-answer.ts'
import { takeCookies } from '../browser/cookies.ts'
import { isChatStream, sendChatStream } from '../streams/chat-stream.ts'
import { isDocument, openDocument, sendDocumentHead, type OpenDocument } from '../streams/document.ts'
import { createFormat, sendEventStream } from '../streams/event-stream.ts'
import { asksForCsv, asksForStream } from '../streams/reader.ts'
import type { OpenStreams } from '../streams/open-streams.ts'
import type { Admission } from './admission.ts'
import { audited } from './audited.ts'
import { authenticate, credentialIn } from './authenticate.ts'
import { ownerOf, withoutOwner } from './owner-of.ts'
import { callerNowOf, handlePermitted, permit } from './permit.ts'
import { present } from './present.ts'
import type { AccountOfProof, ProofInput } from './proof.ts'
import { knownIn, parametersIn } from './query.ts'
import { withCanonicalIds, withCanonicalParams } from './canonical-ids.ts'
import { factsOf } from './request-facts.ts'
import { isAlternative, type AnyRoute } from './route.ts'
import { isOfAccount, isStrict, limitOf, needsTerms } from './route-rules.ts'
import { validated } from './validation.ts'

/** What all routes of a process share. */
export interface Shared {
  streams: OpenStreams
  admission: Admission
}

/** Turns a route's declaration into Koa middleware. */
export function mount(route: AnyRoute, services: Services, { streams, admission }: Shared): Middleware {
  if (!route.handle || (route.proof && !route.proof.verify)) throw new Error(`${route.name} is not complete`)
  const readBytes = route.rawBody && bodyReader(route.rawBody.maxBytes(services), route.rawBody.advice)
  const readSmall = bodyReader(services.config.bodies.defaultBytes)
  const { stream } = route
  const { baseUrl } = services.config.http
  const proofHeader = route.proof?.account?.header
  const tokenOf = (ctx: Context): string => (proofHeader ? ctx.get(proofHeader) : credentialIn(ctx, baseUrl).text)
  const format = createFormat((item) =>
    present(route, item, item.number === undefined ? stream?.passing : stream?.item),
  )
  return async (ctx) => {
    ctx.state['browser'] = route.browser
    const request = factsOf(ctx)
    if (limitOf(route) === 'address') await services.rateLimits.auth(request.address)
    if (limitOf(route) === 'browser') await services.rateLimits.browser(request.address)
    // The router treats HEAD as GET, and a browser address may be usable only once.
    if (route.browser && ctx.method === 'HEAD') return sendHead(ctx)
    if (route.browser && isPrefetch(ctx)) return refusePrefetch(ctx)
    const announced = announcedBytes(ctx)
    const readRaw = once(async () => (readBytes ? readBytes(ctx) : Buffer.alloc(0)))
    const given = {
      services,
      request,
      params: withCanonicalParams(ctx['params'] as Record<string, string>),
      readBody: readRaw,
    }
    let isComplete = false
    const inTurn = (counting: 'counted' | 'uncounted') => {
      const check = async () => {
        // After a turn of the event loop, a body that was sent with the headers has arrived.
        if (hasBody(ctx)) await setImmediate()
        isComplete = ctx.req.complete
        return admit(route, ctx, given, counting)
      }
      return isOfAccount(route) ? admission.admit(ctx, tokenOf(ctx), check) : check()
    }
    const admitted = await inTurn('counted')
    const { account } = admitted
    const count = async (bytes: number) => {
      if (account && route.rawBody && hasBody(ctx)) await countBytes(services, account, bytes)
    }
    // Counted before the body is read, because reading a body and then refusing it costs as much as accepting it.
    await count(announced ?? 0)
    const query = isStrict(route) || route.query ? parseQuery(route.query ?? nothing, ctx) : undefined
    // After the proof, which may be a signature over a body of any media type.
    if (readBytes && (hasBody(ctx) || !route.rawBody?.optional)) requireJson(ctx)
    const raw = await readRaw()
    if (announced === undefined) await count(raw.length)
    // The caller may have lost the permission while the body arrived or waited for its turn.
    const again = async (bytes?: number) => (isComplete && !isLarge(bytes) ? admitted : inTurn('uncounted'))
    const work = () => answer(ctx, { ...given, ...admitted, query, raw }, again)
    // Webhooks take turns in their own code, and so do chats, whose answers take long.
    return account && !route.chatStream ? services.largeBodies.carryOut(account.userId, raw.length, work) : work()
  }

  async function answer(ctx: Context, given: Found, admitAfter: AdmitAfter): Promise<void> {
    const { raw } = given
    const body = route.rawBody ? await parseRaw(route, raw, ctx, services) : await parseBody(route, readSmall, ctx)
    const found = hasBody(ctx)
      ? { ...given, ...(await admitAfter(route.rawBody ? raw.length : announcedBytes(ctx))) }
      : given
    const { caller } = found
    const ownerId = caller && ownerOf(route, caller, { ...found, body })
    if (ownerId) noteInLog({ ownerId })
    const input = { ...found, ...withoutOwner(route, { query: found.query, body }), ownerId }
    if (stream) ctx.vary('Accept')
    const key = `${tokenOf(ctx)} ${ctx.path}`
    const admitAgain = async () => void (await admit(route, ctx, found, 'uncounted'))
    if (stream && asksForStream(ctx)) {
      const open = (signal: AbortSignal) => stream.open({ ...input, signal })
      return sendEventStream(ctx, { ...services, streams, caller, key, format, admit: admitAgain, open })
    }
    // Of all reads, only documents are in the audit log, and HEAD reads none.
    if (ctx.method === 'HEAD' && isNoted(route)) return sendDocumentHead(ctx)
    const { userId: party = ctx.ip, allowance = services.allowances.of({}) } = found.account ?? {}
    const sending = { ...services, streams, party, allowance, key, admit: admitAgain }
    let document: OpenDocument | undefined
    const work = async (): Promise<unknown> => {
      const handled = await handlePermitted(route, callerNowOf(services, ctx), input)
      if (isDocument(handled)) document = await openDocument(ctx, handled, sending)
      return handled
    }
    try {
      const handled = caller && ownerId ? await audited(route, { ...input, caller, ownerId }, work) : await work()
      if (document) return await document.send()
      return isChatStream(handled)
        ? await sendChatStream(ctx, handled, sending)
        : respond(route, services, ctx, handled)
    } finally {
      await document?.close()
    }
  }
}

/** Whether the audit log has an entry for each request. */
const isNoted = ({ audit }: AnyRoute): boolean => audit !== undefined && !('not' in audit)

type Given = ProofInput<string>

/** Everything known about a request before its body is parsed. */
type Found = Given & Admitted & { query: unknown; raw: Buffer }

type Admitted = Awaited<ReturnType<typeof admit>>

/** Checks the caller again if the request was incomplete at the first check, or if its body is large. */
type AdmitAfter = (bytes?: number) => Promise<Admitted>

/**
 * Checks the caller and the resource, in the order below. The check is repeated periodically for open streams, and
 * after a slow body has arrived. Repeated checks do not count for rate limits.
 */
async function admit(route: AnyRoute, ctx: Context, given: Given, counting: 'counted' | 'uncounted') {
  const { services } = given
  const caller = route.access === 'anyone' ? undefined : await authenticate(route, services, ctx)
  const hold = async (account: AccountOfProof): Promise<void> => {
    if (limitOf(route) === 'caller' && counting === 'counted') await countRequest(services, account)
    if (needsTerms(route)) requireTerms(account)
  }
  if (caller) await hold({ ...caller, countedBy: caller.apiKeyId ?? caller.userId })
  if (caller && !route.whileClosing) requireKept(caller)
  const proven: unknown = await route.proof?.verify?.(given)
  const proved = route.proof?.account?.of(proven)
  if (proved) {
    ctx.state['userId'] = proved.userId
    noteInLog({ userId: proved.userId })
    await hold(proved)
  }
  const resource: unknown = await route.resource?.({ ...given, caller })
  if (caller) permit(route, caller, resource)
  if (route.needsPayments) assertThat(services.config.billing.mode !== 'off', 'NOT_FOUND', { message: noPayments })
  return { caller, account: caller ?? proved, proven, resource }
}

const noPayments = 'This installation has no payments, tiers or credits to buy (BILLING=off).'

/** Counts a request for the user, key or session, and for the account. */
export async function countRequest(
  { rateLimits }: Services,
  { countedBy, userId, allowance }: AccountOfProof,
): Promise<void> {
  await rateLimits.caller(countedBy)
  await rateLimits.account(userId, allowance)
}

type Account = Pick<Caller, 'userId' | 'allowance'>

/** Counts the bytes that the caller gives to runs. With 0, it only checks whether the limit was already exceeded. */
function countBytes({ rateLimits }: Services, { userId, allowance }: Account, bytes: number): Promise<void> {
  return rateLimits.inputBytes(userId, allowance, bytes)
}

/** A body can be read only once; later calls share the result. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= work())
}

const parseQuery = (schema: v.GenericSchema, ctx: Context): unknown =>
  validated(schema, knownIn(parametersIn(ctx.querystring)), 'The query is invalid.')

/** A route without a body accepts none or an empty object, because members would silently have no effect. */
async function parseBody(route: AnyRoute, read: BodyReader, ctx: Context): Promise<unknown> {
  if (!route.body && (route.method === 'get' || !isStrict(route) || !hasBody(ctx))) return undefined
  const value = withCanonicalIds(await readJsonBody(ctx, read, partyOf(ctx)))
  return validated((route.body as v.GenericSchema | undefined) ?? nothing, value, 'The request body is invalid.')
}

/** The party that waits for a turn. */
const partyOf = (ctx: Context): string => String(ctx.state['userId'] ?? ctx.ip)

/** The outline of a body whose bytes the handler also gets. */
async function parseRaw(route: AnyRoute, raw: Buffer, ctx: Context, services: Services): Promise<unknown> {
  if (!route.body || !hasBody(ctx)) return undefined
  const outline = await outlineIn(raw, partyOf(ctx), services.threads, route.rawBody?.outline)
  return validated(route.body as v.GenericSchema, outline, 'The request body is invalid.')
}

const nothing = v.strictObject({})

function respond(route: AnyRoute, services: Services, ctx: Context, answer: unknown): void {
  const { baseUrl } = services.config.http
  if (route.browser) return sendToBrowser(ctx, answer as BrowserAnswer, baseUrl, (content) => present(route, content))
  const { status, content, schema } = chosen(route, takeCookies(ctx, answer, baseUrl))
  ctx.status = status
  if (route.csv) ctx.vary('Accept')
  if (route.csv && asksForCsv(ctx)) return sendCsv(ctx, route, present(route, content, schema))
  if (route.plainText) {
    ctx.set('Content-Type', route.plainText)
    ctx.body = content
    return
  }
  if (schema) ctx.type = 'json'
  ctx.body = schema ? writeJson(present(route, content, schema)) : null
}

/** The usual success, or the alternative that the handler has chosen. */
function chosen(route: AnyRoute, answer: unknown) {
  if (!isAlternative(answer)) return { status: route.status, content: answer, schema: route.response as Schema }
  const { status, content } = answer
  return { status, content, schema: route.alternatives?.[status]?.response }
}

function sendCsv(ctx: Context, { name, csv }: AnyRoute, answer: unknown): void {
  ctx.attachment(`${name}.csv`)
  ctx.type = 'text/csv; charset=utf-8; header=present'
  ctx.body = csv?.(answer)
}

type Schema = v.GenericSchema | undefined
