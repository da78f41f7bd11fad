import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Router } from '@koa/router'
import type { Services } from '../src/services.ts'
import { version } from '../src/version.ts'
import { serveFixed } from './fixed-content.ts'
import { openapi } from './openapi/openapi.ts'
import type { AnyRoute } from './route/route.ts'

/** The files of Swagger UI that the page needs. They are served here, so the page loads nothing from other hosts. */
const assets: Record<string, string> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
}

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Switchyard ${version}: HTTP API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <main id="swagger-ui"></main>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const start = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', validatorUrl: null, deepLinking: true })\n`

/**
 * Serves the OpenAPI document, and a page to read it and try it, to each address as often as other pages for browsers.
 * The document is made at once: that would hold up requests.
 */
export function mountDocs(router: Router, routes: AnyRoute[], { config, rateLimits }: Services): void {
  const document = JSON.stringify(openapi(routes, config.http.baseUrl))
  const serve = (path: string, type: string, read: () => string | Promise<Buffer>) => {
    const send = serveFixed({ type, read })
    router.get(path, async (ctx) => {
      await rateLimits.browser(ctx.ip)
      await send(ctx)
    })
  }
  // For people who open the address of the API.
  router.get('/', (ctx) => ctx.redirect('/docs'))
  serve('/openapi.json', 'application/json', () => document)
  serve('/docs', 'text/html', () => page)
  serve('/docs/start.js', 'text/javascript', () => start)
  for (const [file, type] of Object.entries(assets)) {
    // Not imported: the package's entry point would load all of Swagger UI into this process.
    serve(`/docs/${file}`, type, () => readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`))))
  }
}
