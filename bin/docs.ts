import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { openapi } from '../api/openapi/openapi.ts'
import { routes } from '../api/routes.ts'
import { consoleTypesFile, writeConsoleTypes } from './docs/console-types.ts'
import { envExample } from './docs/env-example.ts'
import { errorsPage } from './docs/errors-page.ts'
import { eventsPage } from './docs/events-page.ts'
import { limitsPage } from './docs/limits-page.ts'
import { settingsPage } from './docs/settings-page.ts'

/** `npm run docs`: writes the generated documents. A test fails if they are out of date. */

/** The OpenAPI document with a neutral server address. */
const openapiFile = (): string => `${JSON.stringify(openapi(routes, 'http://127.0.0.1:3000'), null, 2)}\n`

/** The generated files of the repository, with their content. */
export const generated: Record<string, () => string> = {
  'docs/reference/errors.md': errorsPage,
  'docs/reference/limits.md': limitsPage,
  'docs/reference/events.md': eventsPage,
  'docs/reference/settings.md': settingsPage,
  'docs/openapi.json': openapiFile,
  '.env.example': envExample,
}

if (import.meta.main) {
  for (const [file, make] of Object.entries(generated)) await writeFile(new URL(`../${file}`, import.meta.url), make())
  const isChanged = await writeConsoleTypes(fileURLToPath(new URL('..', import.meta.url)), openapiFile())
  if (isChanged) console.log(`Written: ${consoleTypesFile}`)
  console.log(`Written: ${Object.keys(generated).join(', ')}`)
}
