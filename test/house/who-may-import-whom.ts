import type { Import, SourceFile } from './source.ts'

/** Where a file stands: its top folder, and inside `src/` its noun. A file directly in `src/` is plumbing. */
interface Place {
  top: string
  noun: string | undefined
}

const placeOf = (path: string): Place => {
  const [top = '', second = '', ...rest] = path.split('/')
  return { top, noun: top === 'src' && rest.length > 0 ? second : undefined }
}

/** What each folder may import from others at run time. Types may come from wherever `typesFrom` says as well. */
const mayImport: Record<string, { from: string[]; typesFrom: string[]; packages?: RegExp }> = {
  api: { from: ['src'], typesFrom: [] },
  activities: { from: ['src'], typesFrom: ['workflows'] },
  workflows: { from: [], typesFrom: ['activities', 'src'], packages: /^@temporalio\/(workflow|common)$/ },
  migrations: { from: [], typesFrom: ['src'] },
  examples: { from: [], typesFrom: [] },
}

const plumbingMayImport: Record<string, (target: Place, path: string) => boolean> = {
  'src/services.ts': ({ top }) => top === 'src',
  'src/loops.ts': (_place, path) => path === 'src/services.ts',
  'src/temporal.ts': ({ top }, path) => top === 'src' || path === 'workflows/messages.ts',
  'src/temporal-inspection.ts': ({ top }, path) => top === 'src' || path === 'workflows/messages.ts',
  'src/temporal-schedules.ts': ({ top }, path) => top === 'src' || path === 'workflows/messages.ts',
}

/** Files that export a row of a table. Every noun may join another's rows; operations go through the object given. */
export function rowFiles(files: SourceFile[]): Set<string> {
  const rows = files.filter(({ code }) => /^export class \w+ extends Row\b/m.test(code))
  return new Set(rows.map(({ path }) => path))
}

/** What is wrong with an import, judged by the table in the house's design ("Who may import whom"). */
export function importProblem(path: string, entry: Import, rows: Set<string>): string | undefined {
  const { specifier, target, typeOnly } = entry
  const from = placeOf(path)
  if (from.top === 'bin' || from.top === 'test' || from.top === 'bench') return undefined
  const allowed = specifier.startsWith('.')
    ? from.top === 'src'
      ? srcMayImport(path, from, entry, rows)
      : folderMayImport(from, placeOf(target), typeOnly)
    : (mayImport[from.top]?.packages?.test(target) ?? true)
  return allowed ? undefined : `imports ${target}${typeOnly ? ' (types)' : ''}, which ${from.top}/ may not`
}

function folderMayImport({ top }: Place, target: Place, typeOnly: boolean): boolean {
  const allowed = mayImport[top]
  return (
    target.top === top ||
    !!allowed?.from.includes(target.top) ||
    (typeOnly && !!allowed?.typesFrom.includes(target.top))
  )
}

function srcMayImport(path: string, from: Place, { target, typeOnly }: Import, rows: Set<string>): boolean {
  const place = placeOf(target)
  if (from.noun === undefined && plumbingMayImport[path]?.(place, target)) return true
  if (place.top === 'workflows') return typeOnly && target === 'workflows/messages.ts'
  if (place.top !== 'src' || target === 'src/services.ts') return false
  if (place.noun === from.noun || place.noun === undefined) return true
  return from.noun !== undefined && (typeOnly || rows.has(target))
}
