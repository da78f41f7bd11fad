import type { Context } from 'koa'
import { HttpMethodEnum, koaBody } from 'koa-body'
import { CodedError } from '../../src/errors.ts'
import { decodeUtf8, parseJson } from '../../src/json.ts'

const wrong = (message: string, cause?: unknown) =>
  new CodedError('VALIDATION_ERROR', { message, details: [{ path: '', message }], cause })

/** Reads the bytes of a request's body, whatever its media type. */
export type BodyReader = (ctx: Context) => Promise<Buffer>

/**
 * A reader of bodies, inflated, at most `maxBytes` long; made once per route, because making it costs more than reading
 * most bodies. koa-body hands out decoded text only, and decoding as UTF-8 would silently repair what is broken, so it
 * decodes byte by byte (latin1), which loses nothing. Fails with VALIDATION_ERROR for a longer body, or one that ends
 * early.
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

/** koa-body reads no body of a type that is not on its list, and none without a type. */
const ofAnyType = (ctx: Context): Context => Object.create(ctx, { is: { value: () => true } }) as Context

/** Whether the request says that a body follows (RFC 9112, 6). */
export const hasBody = ({ headers }: Context): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/** Refuses with VALIDATION_ERROR a body that does not say that it is JSON, and a request that has none. */
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

/** The object in a JSON body, in a form that can be stored and sent on exactly. Fails with VALIDATION_ERROR. */
export async function readJsonBody(ctx: Context, read: BodyReader): Promise<object> {
  requireJson(ctx)
  const text = decodeUtf8(await read(ctx))
  if (text === undefined) throw wrong('The body is not valid UTF-8.')
  const result = parseJson(text, { maxDepth: 100, exactNumbers: true })
  if (!result.ok) throw wrong(result.problem)
  const { value } = result
  // Said here, because a schema whose members are all optional takes an array for an empty object.
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong('The body must be a JSON object.')
  return value
}
