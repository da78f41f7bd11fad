import type { Context } from 'koa'
import { HttpMethodEnum, koaBody } from 'koa-body'
import { CodedError } from '../../src/errors.ts'
import { decodeUtf8, parseJson } from '../../src/json.ts'

const wrong = (message: string, cause?: unknown, path = '') =>
  new CodedError('VALIDATION_ERROR', { message, details: [{ path, message }], cause })

/** Reads the bytes of a request's body, of any media type. */
export type BodyReader = (ctx: Context) => Promise<Buffer>

/**
 * A reader of inflated bodies of at most `maxBytes`. Made once per route, because that costs more than reading most
 * bodies. koa-body returns decoded text only, and UTF-8 decoding would silently replace invalid bytes, so it decodes as
 * latin1, which loses nothing. Fails with VALIDATION_ERROR for a longer or truncated body.
 */
export function bodyReader(maxBytes: number): BodyReader {
  const parse = koaBody({
    json: false,
    urlencoded: false,
    text: true,
    textLimit: maxBytes,
    encoding: 'latin1',
    parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT, HttpMethodEnum.PATCH, HttpMethodEnum.DELETE],
    onError: (error) => {
      throw refused(error, maxBytes)
    },
  })
  return async (ctx) => {
    await parse(ofAnyType(ctx), async () => {})
    const text: unknown = ctx.request.body
    return Buffer.from(typeof text === 'string' ? text : '', 'latin1')
  }
}

/** koa-body ignores a body without a media type, or with one that is not on its list. */
const ofAnyType = (ctx: Context): Context => Object.create(ctx, { is: { value: () => true } }) as Context

/** Whether the request announces a body (RFC 9112, 6). */
export const hasBody = ({ headers }: Context): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Refuses a missing body, or one that is not declared as JSON, with VALIDATION_ERROR. */
export function requireJson(ctx: Context): void {
  if (!hasBody(ctx)) throw wrong('The body is missing. Send one as JSON, with "Content-Type: application/json".')
  if (!ctx.is('json', '+json')) throw wrong('Send the body as JSON, with "Content-Type: application/json".')
}

function refused(error: Error, maxBytes: number): CodedError {
  const { type, code } = error as { type?: unknown; code?: unknown }
  if (type === 'entity.too.large') return wrong(`The body is larger than ${maxBytes} bytes.`, error)
  if (type === 'request.aborted') return wrong('The body ended before it was complete.', error)
  if (typeof code === 'string' && code.startsWith('Z_')) return wrong('The body is not valid compressed data.', error)
  return wrong('The body could not be read.', error)
}

/** The object in a JSON body, which can be stored and sent on without loss. Fails with VALIDATION_ERROR. */
export async function readJsonBody(ctx: Context, read: BodyReader): Promise<object> {
  requireJson(ctx)
  return objectIn(await read(ctx), 'exact numbers')
}

/**
 * The object in the bytes of a JSON body. With `any numbers`, what cannot be kept exactly is allowed, for handlers that
 * keep the text. Fails with VALIDATION_ERROR.
 */
export function objectIn(bytes: Buffer, kind: 'exact numbers' | 'any numbers'): object {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw wrong('The body is not valid UTF-8.')
  const result = parseJson(text, { maxDepth: 100, exactNumbers: kind === 'exact numbers' })
  if (!result.ok) throw wrong(result.problem, undefined, result.path)
  const { value } = result
  // A schema whose members are all optional would take an array for an empty object.
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong('The body must be a JSON object.')
  return value
}
