import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import test from 'ava'
import { codesOf } from '../../api/route/route-rules.ts'
import { routes } from '../../api/routes.ts'
import { catalogue } from '../../src/errors.ts'
import { manifestJsonSchema } from '../../src/sites/manifest/manifest-schema.ts'
import { startPlatform } from '../helpers/platform.ts'
import { ownEnvironment, ownFolder } from '../helpers/servers.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

interface Operation {
  operationId: string
  parameters?: { name: string; in: string }[]
  responses: Record<string, { content?: Record<string, { examples?: Record<string, unknown> }> }>
}
interface Document {
  openapi: string
  paths: Record<string, Record<string, Operation>>
}

const run = promisify(execFile)
const redocly = fileURLToPath(new URL('../../node_modules/@redocly/cli/bin/cli.js', import.meta.url))
const config = fileURLToPath(new URL('../../redocly.yaml', import.meta.url))

const open = forWholeFile(test, 'the OpenAPI document', (t) => startPlatform(t))

const served = async () => fetch(`${(await open()).url}/openapi.json`)

test('the linter has nothing to say about the OpenAPI document', async (t) => {
  const file = join(ownFolder(), 'openapi.json')
  await writeFile(file, await (await served()).text())
  // Linting must not call anybody.
  const env = { ...ownEnvironment(), REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
  const { stdout } = await run(process.execPath, [redocly, 'lint', file, '--config', config, '--format', 'json'], {
    env,
    maxBuffer: 16 * 1024 * 1024,
  }).catch((failed: { stdout: string }) => failed)
  const { totals, problems } = JSON.parse(stdout) as { totals: object; problems: { message: string }[] }
  t.deepEqual(
    problems.map(({ message }) => message),
    [],
  )
  t.like(totals, { errors: 0, warnings: 0 })
})

test('every route is in the OpenAPI document with its parameters, its success and each of its codes', async (t) => {
  const response = await served()
  t.is(response.headers.get('content-type'), 'application/json; charset=utf-8')
  const document = (await response.json()) as Document
  t.is(document.openapi, '3.1.0')
  for (const route of routes) {
    const operation = document.paths[route.path]?.[route.method]
    t.is(operation?.operationId, route.name)
    const named = (operation?.parameters ?? []).filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    t.deepEqual(
      named,
      [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''),
    )
    t.truthy(operation?.responses[route.status], `${route.name} succeeds with ${route.status}`)
    const documented = Object.entries(operation?.responses ?? {}).flatMap(([status, { content }]) =>
      Object.keys(content?.['application/json']?.examples ?? {}).map((code) => `${status} ${code}`),
    )
    t.deepEqual(
      documented.toSorted(),
      codesOf(route)
        .map((code) => `${catalogue[code].status} ${code}`)
        .toSorted(),
    )
  }
  const operations = Object.values(document.paths).flatMap((path) => Object.keys(path))
  t.is(operations.length, routes.length)
})

test('the page for people is complete, and neither refers to other hosts nor may load from them', async (t) => {
  const { url } = await open()
  const page = await fetch(`${url}/docs`)
  t.is(page.status, 200)
  t.is(page.headers.get('content-type'), 'text/html; charset=utf-8')
  const policy = page.headers.get('content-security-policy') ?? ''
  t.regex(policy, /^default-src 'self'/)
  t.notRegex(policy, /https?:|\*|unsafe-eval|script-src/)

  const html = await page.text()
  const assets = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address ?? '')
  const own = assets.filter((address) => !address.startsWith('data:'))
  t.deepEqual(own, ['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/start.js'])
  t.notRegex(html, /https?:|<script>|<style>| on\w+=/)
  for (const asset of own) {
    const response = await fetch(url + asset)
    t.is(response.status, 200, asset)
    t.regex(response.headers.get('content-type') ?? '', asset.endsWith('css') ? /^text\/css/ : /^text\/javascript/)
    const text = await response.text()
    t.true(text.length > 50, asset)
    if (!asset.endsWith('bundle.js')) t.notRegex(text.replaceAll(/url\("?data:[^)]*\)/g, ''), /url\(|https?:/)
  }
})

test('the page for people asks for the document, and for no validation elsewhere', async (t) => {
  const { url } = await open()
  const start = await (await fetch(`${url}/docs/start.js`)).text()
  t.regex(start, /url: '\/openapi\.json'/)
  t.regex(start, /validatorUrl: null/)
})

test('the schema of manifests is served to anyone', async (t) => {
  const response = await fetch(`${(await open()).url}/schemas/toolsite.json`)
  t.is(response.status, 200)
  t.deepEqual(await response.json(), JSON.parse(JSON.stringify(manifestJsonSchema())))
})
