import { readFile } from 'node:fs/promises'
import type { Router } from '@koa/router'
import type { Context } from 'koa'
import { CodedError } from '../../src/errors.ts'
import type { Services } from '../../src/services.ts'
import { serveFixed } from '../fixed-content.ts'
import { openapi } from '../openapi/openapi.ts'
import { parametersIn } from '../route/query.ts'
import type { AnyRoute } from '../route/route.ts'
import { createGuide, type Guide } from './guide.ts'
import { guidePage } from './guide-page.ts'
import { maxQuery } from './layout.ts'
import { alone, pathOf, pathOfPicture } from './page-paths.ts'
import type { ApiDocument } from './reference/document.ts'
import { overviewPage, tagPage } from './reference/reference-pages.ts'
import { findables } from './search/findable.ts'
import { createSearch } from './search/search.ts'
import { searchPage } from './search/search-page.ts'

type Handler = (ctx: Context) => Promise<void>

const assets: Record<string, string> = {
  'site.css': 'text/css',
  'site.js': 'text/javascript',
  'reference.js': 'text/javascript',
}

/** In `docs/images`. */
const pictures = ['approvals.png', 'refused.png']

/**
 * Serves the documentation: the guide, its search, and the reference with the OpenAPI document. Requests count for the
 * limit of browser pages per client address. The OpenAPI document is built at startup, because building it later would
 * block requests.
 */
export function mountDocs(router: Router, routes: AnyRoute[], { config, rateLimits }: Services): void {
  const document = JSON.stringify(openapi(routes, config.http.baseUrl))
  const guide = createGuide()
  const get = (path: string, handle: Handler) =>
    router.get(path, async (ctx) => {
      // Failures become pages for browsers, also when there are too many requests.
      ctx.state['browser'] = true
      await rateLimits.browser(ctx.ip)
      await handle(ctx)
    })
  const guidePages = servePages((file) => renderGuide(guide, file))
  const referencePages = servePages((tag) => Promise.resolve(renderReference(document, tag)))
  get('/openapi.json', serveFixed({ type: 'application/json', read: () => document }))
  get('/docs', (ctx) => guidePages(ctx, 'README.md'))
  for (const file of alone) get(pathOf(file) ?? '/docs', (ctx) => guidePages(ctx, file))
  get('/docs/search', serveSearch(guide, routes))
  get('/docs/api', (ctx) => referencePages(ctx, ''))
  for (const name of pictures)
    get(
      pathOfPicture(name),
      serveFixed({ type: 'image/png', read: () => readFile(new URL(`../../docs/images/${name}`, import.meta.url)) }),
    )
  get('/docs/:part/:page', (ctx) => {
    const { part = '', page = '' } = ctx['params'] as Record<string, string>
    return part === 'api' ? referencePages(ctx, page) : guidePages(ctx, `${part}/${page}.md`)
  })
  for (const [name, type] of Object.entries(assets))
    get(`/docs/${name}`, serveFixed({ type, read: () => readFile(new URL(`assets/${name}`, import.meta.url)) }))
}

async function renderGuide(guide: Guide, file: string): Promise<string | undefined> {
  const page = await guide.read(file)
  return page && guidePage(guide, page)
}

/** Parses the document for each page that is rendered for the first time, and does not keep it, because it is large. */
function renderReference(text: string, tag: string): string | undefined {
  const document = JSON.parse(text) as ApiDocument
  return tag === '' ? overviewPage(document) : tagPage(document, tag)
}

/** Serves pages by name. Each page is rendered at its first request and then kept. */
function servePages(render: (name: string) => Promise<string | undefined>) {
  const kept = new Map<string, Handler>()
  const make = async (name: string): Promise<Handler> => {
    const html = await render(name)
    if (html === undefined) throw new CodedError('NOT_FOUND', { message: 'This page does not exist. Start at /docs.' })
    const send = serveFixed({ type: 'text/html', read: () => html })
    kept.set(name, send)
    return send
  }
  return async (ctx: Context, name: string): Promise<void> => (kept.get(name) ?? (await make(name)))(ctx)
}

function serveSearch(guide: Guide, routes: readonly AnyRoute[]): Handler {
  const search = createSearch(() => findables(guide, routes))
  return async (ctx) => {
    const given = parametersIn(ctx.querystring)['q'] ?? ''
    const query = (Array.isArray(given) ? (given[0] ?? '') : given).trim()
    const isTooLong = query.length > maxQuery
    const found = query === '' || isTooLong ? undefined : await search(query)
    ctx.status = isTooLong ? 400 : 200
    ctx.type = 'text/html'
    ctx.body = searchPage(guide.menu, { query, found })
  }
}
