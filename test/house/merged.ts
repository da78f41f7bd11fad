import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Files by their path, with their text or its SHA-256. */
type Files = Record<string, string>

const root = fileURLToPath(new URL('../../', import.meta.url))
const record = 'migrations/merged.json'

/** Only the list of migrations may change. */
const growing = 'migrations/index.ts'

/** Checks that migrations are as they were when they were merged. */
export const checkMerged = (): { path: string; problem: string }[] => changesOf(onDisk(), readRecord())

/** Records the migrations that are new. What is recorded stays, so that no edit is covered up. */
export function recordMigrations(): void {
  const hashes = Object.entries(onDisk()).map(([path, text]) => [path, hashOf(text)] as const)
  const all = { ...Object.fromEntries(hashes), ...readRecord() }
  const sorted = Object.fromEntries(Object.entries(all).toSorted(([one], [other]) => (one < other ? -1 : 1)))
  writeFileSync(root + record, `${JSON.stringify(sorted, null, 2)}\n`)
}

/** What became of recorded files, and files that are not recorded. */
export function changesOf(files: Files, recorded: Files): { path: string; problem: string }[] {
  const paths = [...new Set([...Object.keys(recorded), ...Object.keys(files)])]
  return paths.flatMap((path) => {
    const problem = problemOf(files[path], recorded[path])
    return problem === undefined ? [] : [{ path, problem }]
  })
}

function problemOf(text: string | undefined, hash: string | undefined): string | undefined {
  if (text === undefined) return 'was merged and is gone; databases have it, so bring it back'
  if (hash === undefined) return `is not in ${record}; add it with npm run house -- --record-migrations`
  if (hash === hashOf(text)) return undefined
  return `was merged and is edited; databases have it as it was, so take the edit back and write a new migration (while it is not merged: delete its line in ${record} and run npm run house -- --record-migrations)`
}

/** Git may have given a Windows checkout other line ends. */
export const hashOf = (text: string): string => createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex')

function onDisk(): Files {
  const paths = readdirSync(`${root}migrations`, { recursive: true, encoding: 'utf8' })
    .map((name) => `migrations/${name.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.ts') && path !== growing)
  return Object.fromEntries(paths.map((path) => [path, readFileSync(root + path, 'utf8')]))
}

const readRecord = (): Files => JSON.parse(readFileSync(root + record, 'utf8')) as Files
