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
import { frozenList, withNewMigrations } from '../test/house/frozen-migrations.ts'
import { readHouse } from '../test/house/source.ts'

/**
 * `npm run docs`: writes the generated documents, and freezes new migrations. A test fails if the documents are out of
 * date.
 */

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
  const root = fileURLToPath(new URL('..', import.meta.url))
  await writeFile(frozenList, withNewMigrations(readHouse(root)))
  const isChanged = await writeConsoleTypes(root, openapiFile())
  if (isChanged) console.log(`Written: ${consoleTypesFile}`)
  console.log(`Written: ${Object.keys(generated).join(', ')}`)
}
