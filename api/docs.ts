import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Router } from '@koa/router'
import { version } from '../src/version.ts'
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

/** Serves the OpenAPI document, and a page to read it and try it. */
export function mountDocs(router: Router, routes: AnyRoute[], baseUrl: string): void {
  let document: string | undefined
  // For people who open the address of the API.
  router.get('/', (ctx) => ctx.redirect('/docs'))
  router.get('/openapi.json', (ctx) => {
    ctx.type = 'application/json'
    ctx.body = document ??= JSON.stringify(openapi(routes, baseUrl), null, 2)
  })
  router.get('/docs', (ctx) => {
    ctx.type = 'text/html'
    ctx.body = page
  })
  router.get('/docs/start.js', (ctx) => {
    ctx.type = 'text/javascript'
    ctx.body = start
  })
  for (const [file, type] of Object.entries(assets)) {
    router.get(`/docs/${file}`, async (ctx) => {
      ctx.type = type
      // Not imported: the package's entry point would load all of Swagger UI into this process.
      ctx.body = await readFile(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)))
    })
  }
}
