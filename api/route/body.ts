import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context } from 'koa'
import { koaBody } from 'koa-body'
import { outlineOfChat } from '../../src/chat/outline.ts'
import { outlineOfUpload } from '../../src/documents/outline.ts'
import { CodedError } from '../../src/errors.ts'
import { decodeUtf8, parseJson } from '../../src/json.ts'
import { noText, outlineOf, type Outline } from '../../src/json-outline.ts'
import type { Services } from '../../src/services.ts'
import { orElse } from '../../src/threads/threads.ts'
import { createTurns } from '../../src/threads/turns.ts'
import { codingOf, problemOfType, readCodings, shown } from './codings.ts'

const wrong = (message: string, cause?: unknown, path = '') =>
  new CodedError('VALIDATION_ERROR', { message, details: [{ path, message }], cause })

/** Reads the bytes of a request's body, of any media type. */
export type BodyReader = (ctx: Context) => Promise<Buffer>

/**
 * A reader of inflated bodies of at most `maxBytes`. Made once per route, because that costs more than reading most
 * bodies. Without an encoding koa-body returns bytes; UTF-8 decoding would silently replace invalid bytes. Fails with
 * VALIDATION_ERROR for a longer or truncated body; `advice` tells the sender of a longer one what to do.
 */
export function bodyReader(maxBytes: number, advice?: string): BodyReader {
  const parse = koaBody({
    json: false,
    urlencoded: false,
    text: true,
    textLimit: maxBytes,
    encoding: '',
    onError: (error) => {
      throw refused(error, maxBytes, advice)
    },
  })
  return async (ctx) => {
    inflateAs(ctx)
    const seen = textual(ctx)
    await parse(seen as unknown as Context, async () => {})
    const bytes: unknown = seen.request.body
    return Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0)
  }
}

/**
 * Normalizes the coding, because koa-body knows only one spelling. Fails with VALIDATION_ERROR for an unknown coding.
 */
function inflateAs(ctx: Context): void {
  const coding = codingOf(ctx.headers)
  if (coding === undefined) {
    ctx.set('Accept-Encoding', [...readCodings, 'identity'].join(', '))
    const given = shown(ctx.get('content-encoding'))
    throw wrong(
      `The Content-Encoding is ${given}. Send the body uncompressed, or use one of ${readCodings.join(', ')}.`,
    )
  }
  ctx.headers['content-encoding'] = coding
}

/**
 * The request as koa-body sees it. koa-body ignores a body without a media type, with one that is not on its list, or of
 * some methods.
 */
const textual = ({ req }: Context) => ({ req, method: 'POST', is: () => true, request: {} as { body?: unknown } })

/** Whether the request announces a body (RFC 9112, 6). */
export const hasBody = ({ headers }: Context): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** The announced size of the content in bytes; undefined if it is compressed or chunked. */
export const announcedBytes = ({ headers }: Context): number | undefined =>
  headers['transfer-encoding'] !== undefined || codingOf(headers) !== 'identity'
    ? undefined
    : Number(headers['content-length'] ?? 0)

/** Refuses a missing body, or one that is not declared as JSON, with VALIDATION_ERROR. */
export function requireJson(ctx: Context): void {
  if (!hasBody(ctx)) throw wrong('The request body is missing. Send JSON with "Content-Type: application/json".')
  const problem = problemOfType(ctx.get('content-type'))
  if (problem) throw wrong(`The request ${problem}. Send JSON with "Content-Type: application/json".`)
}

function refused(error: Error, maxBytes: number, advice = ''): CodedError {
  const { type, code } = error as { type?: unknown; code?: unknown }
  if (type === 'entity.too.large')
    return wrong(`The body exceeds the limit of ${maxBytes} bytes. ${advice}`.trimEnd(), error)
  if (type === 'request.aborted') return wrong('The body ended before it was complete.', error)
  if (typeof code === 'string' && code.startsWith('Z_')) return wrong('The body is not valid compressed data.', error)
  return wrong('The body could not be read.', error)
}

/** The event loop's own thread reads at most this many values, which takes 30 ms at worst. */
export const mostValues = 25_000

/** A larger body is parsed in its own turn or in a thread, because a mebibyte may take 80 ms. */
const inlineBytes = 32 * 1024

const turns = createTurns(1)

/**
 * The object in a JSON body, stored and passed on without loss. Large bodies wait for a turn, so that they occupy the
 * event loop one at a time. Fails with VALIDATION_ERROR. Without `exactNumbers`, the caller looks for what is lost.
 */
export async function readJsonBody(
  ctx: Context,
  read: BodyReader,
  party: string,
  { exactNumbers = true }: { exactNumbers?: boolean } = {},
): Promise<object> {
  requireJson(ctx)
  const bytes = await read(ctx)
  if (bytes.length <= inlineBytes) return objectIn(bytes, exactNumbers)
  return turns.take(party, async () => {
    await nextTurn()
    return objectIn(bytes, exactNumbers)
  })
}

/** The functions that outline the text of a body, by their names in the thread. */
export type OutlineName = 'outlineOf' | 'outlineOfChat' | 'outlineOfUpload'
const outlines = { outlineOf, outlineOfChat, outlineOfUpload }

/** The outline of the object in the bytes of a JSON body, without the rest of it. Fails with VALIDATION_ERROR. */
export async function outlineIn(
  bytes: Buffer,
  party: string,
  threads: Services['threads'],
  name: OutlineName = 'outlineOf',
): Promise<object> {
  const outline =
    bytes.length <= inlineBytes
      ? outlines[name](bytes)
      : await threads.run(party, name, bytes).catch(orElse<Outline>({ problem: 'The body is too complex.' }))
  if ('problem' in outline) throw wrong(outline.problem, undefined, outline.path)
  return outline.members
}

/** The object in the bytes of a JSON body. Fails with VALIDATION_ERROR. */
function objectIn(bytes: Buffer, exactNumbers: boolean): object {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw wrong(noText)
  const result = parseJson(text, { maxValues: mostValues, exactNumbers })
  if (!result.ok) throw wrong(result.problem, undefined, result.path)
  const { value } = result
  // A schema with only optional members would accept an array as an empty object.
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong('The body must be a JSON object.')
  return value
}
