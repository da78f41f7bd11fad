import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { writeExampleCatalogue } from '../../bin/local/catalogue.ts'

interface ExampleSite {
  origin: string
}

/**
 * The setting for a catalogue with the entries of these example sites, as `npm start` has it. `token` connects the
 * issue tracker for templates.
 */
export function catalogueOf(
  t: ExecutionContext,
  sites: { tracker?: ExampleSite; badTools?: ExampleSite; contacts?: ExampleSite },
  token?: string,
): { CATALOGUE_FOLDERS: string } {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const { tracker, badTools, contacts } = sites
  writeExampleCatalogue(folder, [tracker?.origin, badTools?.origin, undefined, contacts?.origin], token)
  return { CATALOGUE_FOLDERS: folder }
}
