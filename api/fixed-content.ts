import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'koa'

const compressed = promisify(gzip)

/** A deployment may change it. */
const usualAge = 300

interface Content {
  type: string
  read: () => string | Buffer | Promise<Buffer>
  /** How long browsers and proxies use it without asking again, in seconds. */
  maxAge?: number | undefined
}

/**
 * Serves content that is the same for everyone. It is read and compressed once; clients that already have it get a
 * 304.
 */
export function serveFixed({ type, read, maxAge = usualAge }: Content) {
  let made: ReturnType<typeof make> | undefined
  const make = async () => {
    const plain = Buffer.from(await read())
    // Weak, because the plain and the compressed response share it.
    const tag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
    return { plain, zipped: await compressed(plain), tag }
  }
  return async (ctx: Context): Promise<void> => {
    const { plain, zipped, tag } = await (made ??= make())
    ctx.set({ 'Cache-Control': `public, max-age=${maxAge}`, ETag: tag })
    ctx.vary('Accept-Encoding')
    if (isKnown(ctx.get('if-none-match'), tag)) return void (ctx.status = 304)
    ctx.type = type
    const zips = ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
    if (zips) ctx.set('Content-Encoding', 'gzip')
    ctx.body = zips ? zipped : plain
  }
}

/** RFC 9110, 13.1.2: weak comparison. */
const isKnown = (given: string, tag: string): boolean =>
  given.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === tag.slice(2))
