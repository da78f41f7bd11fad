import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Router } from '@koa/router'
import { version } from '../src/version.ts'
import { openapi } from './openapi.ts'
import type { AnyRoute } from './route.ts'

/** The files of Swagger UI that the page needs; served from here, so that it loads nothing from other hosts. */
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

/** Serves the OpenAPI document, and a page for people to read it and try it. */
export function mountDocs(router: Router, routes: AnyRoute[], baseUrl: string): void {
  const document = JSON.stringify(openapi(routes, baseUrl), null, 2)
  const folder = createRequire(import.meta.url)('swagger-ui-dist').absolutePath() as string
  router.get('/openapi.json', (ctx) => {
    ctx.type = 'application/json'
    ctx.body = document
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
      ctx.body = await readFile(`${folder}/${file}`)
    })
  }
}
