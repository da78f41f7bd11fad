import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tokenOfSite } from './ask-site.ts'
import { replaceFile } from './write-file.ts'

const examples = fileURLToPath(new URL('../../examples/catalogue/', import.meta.url))

/** The place of each example site among all. */
const places: Record<string, number> = { tracker: 0, 'bad-tools': 1, contacts: 3 }

/** The folder with the example sites' entries of the catalogue while `npm start` runs. One contains a token. */
export const catalogueFolder = (folder: string): string => join(folder, 'catalogue')

/**
 * Writes entries for the example sites with their addresses into a folder. `token` connects the issue tracker for
 * templates.
 */
export function writeExampleCatalogue(
  folder: string,
  origins: readonly (string | undefined)[],
  token: string | undefined,
): void {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { mode: 0o700 })
  for (const file of readdirSync(examples)) {
    const id = file.replace(/\.json$/, '')
    const origin = origins[places[id] ?? -1]
    if (origin !== undefined)
      replaceFile(join(folder, file), entryAt(file, origin, id === 'tracker' ? token : undefined), 0o600)
  }
}

/** The example with this address, also in its sentences. */
function entryAt(file: string, origin: string, token: string | undefined): string {
  const text = readFileSync(join(examples, file), 'utf8')
  const entry = JSON.parse(text) as { address: string }
  const moved = JSON.parse(text.replaceAll(entry.address, origin)) as object
  return JSON.stringify({ ...moved, token }, null, 2)
}

/**
 * Adds the example sites to the catalogue, and returns the setting for the API. Each start creates a new token, because
 * the tracker may have lost or revoked the last one. Without a token, everything but its templates still works.
 */
export async function shareCatalogue(
  folder: string,
  { sites, siteCaFile, given }: { sites: string[]; siteCaFile: string; given: string | undefined },
  say: (text: string) => void,
): Promise<{ CATALOGUE_FOLDERS: string }> {
  const token = await tokenOfSite({ sites, siteCaFile }).catch((error: unknown) => {
    say(`Templates cannot use the example issue tracker: ${(error as Error).message}`)
    return undefined
  })
  const own = catalogueFolder(folder)
  writeExampleCatalogue(own, sites, token)
  return { CATALOGUE_FOLDERS: [given, own].filter(Boolean).join(',') }
}
