import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Router } from '@koa/router'
import type { Context } from 'koa'
import { CodedError } from '../../src/errors.ts'
import type { Services } from '../../src/services.ts'
import { serveFixed } from '../fixed-content.ts'

type Handler = (ctx: Context) => void | Promise<void>

/** What `npm run build` made, or `npm start` at its first start. */
const built = new URL('../../console/dist/', import.meta.url)

const types: Record<string, string> = {
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
}

/** A file's name contains the hash of its content, so browsers never ask again. In seconds. */
const forever = 31_536_000

/**
 * Serves the console: one page for all addresses below `/console`, and its files. The page holds nothing of anybody;
 * its scripts ask the API. Requests for the page count for the limit of browser pages per client address; its files do
 * not, because one visit loads a dozen and a browser keeps them.
 */
export function mountConsole(router: Router, { rateLimits }: Pick<Services, 'rateLimits'>): void {
  const isBuilt = existsSync(new URL('index.html', built))
  router.get('/', (ctx) => ctx.redirect(isBuilt && prefersPage(ctx) ? '/console' : '/docs'))
  const page = isBuilt ? shell(readFileSync(new URL('index.html', built), 'utf8')) : refuse
  if (isBuilt) mountFiles(router)
  for (const path of ['/console', '/console/{*address}'])
    router.get(path, async (ctx) => {
      ctx.state['browser'] = true
      await rateLimits.browser(ctx.ip)
      await page(ctx)
    })
}

/** Mounted before the page, which answers every other address below `/console`. */
function mountFiles(router: Router): void {
  router.get('/console/icon.svg', fileOf('icon.svg'))
  for (const name of readdirSync(new URL('assets/', built)))
    router.get(`/console/assets/${name}`, fileOf(`assets/${name}`, forever))
  router.get('/console/assets/{*name}', () => {
    throw new CodedError('NOT_FOUND', { message: 'This file is not part of the console. Load the page again.' })
  })
}

const prefersPage = (ctx: Context): boolean => ctx.accepts('json', 'html') === 'html'

/** Kept in memory with the page that names it, because another build replaces both while this process runs. */
function fileOf(path: string, maxAge?: number): Handler {
  const content = readFileSync(new URL(path, built))
  const type = types[path.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
  return serveFixed({ type, read: () => content, maxAge })
}

function refuse(): never {
  throw new CodedError('NOT_FOUND', { message: 'The console is not built on this machine. Run: npm run build' })
}

/**
 * The page with a new nonce, with which the component library marks its style elements. Scripts are files of this host
 * (Content Security Policy 3).
 */
const shell =
  (template: string): Handler =>
  (ctx) => {
    const nonce = randomBytes(16).toString('base64')
    ctx.set('Content-Security-Policy', policy(nonce))
    ctx.type = 'text/html'
    ctx.body = template.replaceAll('{nonce}', nonce)
  }

const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
