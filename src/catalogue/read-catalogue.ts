import { ConfigError } from '../config/environment.ts'
import { readAll } from '../config/read-all.ts'
import { readJsonFolder } from '../config/json-folder.ts'
import { catalogueFile, contradictions, type CatalogueEntry } from './catalogue-format.ts'

/** The most entries of a catalogue. Each search reads all. */
const most = 1000

/**
 * The entries in the folders, in the order of their ids. Throws a ConfigError that names every problem with its file,
 * and quotes no value: entries may contain tokens.
 */
export function readCatalogue(folders: readonly string[]): CatalogueEntry[] {
  const read = (folder: string) =>
    readJsonFolder(folder, { what: 'catalogue entry', schema: catalogueFile, most, contradictions })
  const files = Object.values(readAll(Object.fromEntries(folders.map((folder) => [folder, () => read(folder)])))).flat()
  const paths = new Map<string, string>()
  const problems = files.flatMap(({ id, path }) => {
    const other = paths.get(id)
    paths.set(id, path)
    return other === undefined ? [] : [`${path}: ${other} has the same name. Rename one of them`]
  })
  if (files.length > most)
    problems.push(`CATALOGUE_FOLDERS has ${files.length} entries, and at most ${most} are allowed`)
  if (problems.length > 0) throw new ConfigError(problems)
  return files.map(({ id, content }) => ({ id, ...content })).toSorted((one, other) => (one.id < other.id ? -1 : 1))
}
