import type { Import, SourceFile } from './source.ts'

/** Utility folders of `src/`, like the files directly in `src/`. Every other folder there is a noun. */
const plumbing = new Set([
  'config',
  'database',
  'temporal',
  'secrets',
  'hiding',
  'owners',
  'safe-fetch',
  'shares',
  'threads',
  'tracing',
])

/** What drives the loop. It uses the loop's operations, and gives them their parts. */
const drivers = new Set(['runs', 'chat'])
/** What drivers know only through the loop. */
const behindLoop = new Set(['models', 'sites'])

/** The location of a file: its top folder and, inside `src/`, its noun. */
interface Place {
  top: string
  noun: string | undefined
}

const placeOf = (path: string): Place => {
  const [top = '', second = '', ...rest] = path.split('/')
  return { top, noun: top === 'src' && rest.length > 0 && !plumbing.has(second) ? second : undefined }
}

/** The folders that each folder may import from at run time. Types may also come from `typesFrom`. */
const mayImport: Record<string, { from: string[]; typesFrom: string[]; packages?: RegExp }> = {
  api: { from: ['src'], typesFrom: [] },
  activities: { from: ['src'], typesFrom: ['workflows'] },
  workflows: { from: [], typesFrom: ['activities', 'src'], packages: /^@temporalio\/(workflow|common)$/ },
  migrations: { from: [], typesFrom: ['src'] },
  // It uses the platform as a client does, and serves sites as the examples do.
  conformance: { from: ['examples'], typesFrom: [] },
  examples: { from: [], typesFrom: [] },
  // Its types come from the API's document, and it runs in a browser.
  console: { from: [], typesFrom: [], packages: /^(?!node:)/ },
  clients: { from: [], typesFrom: [], packages: /^(openapi-fetch|node:.*)$/ },
}

const plumbingMayImport: [RegExp, (target: Place, path: string) => boolean][] = [
  [/^src\/services\.ts$/, ({ top }) => top === 'src'],
  [/^src\/in-thread\.ts$/, ({ top }) => top === 'src'],
  [/^src\/loops\.ts$/, (_place, path) => path === 'src/services.ts'],
  [/^src\/temporal\//, ({ top }, path) => top === 'src' || path === 'workflows/messages.ts'],
]

/** The files of a noun that other nouns may import at run time: table rows and rules. */
export interface Shared {
  rows: Set<string>
  rules: Set<string>
}

/** A noun may join another's rows and use its rules; operations go through the injected object. */
export function sharedFiles(files: SourceFile[]): Shared {
  const rows = files.filter(({ code }) => /^(export )?class \w+ extends Row\b/m.test(code))
  return { rows: new Set(rows.map(({ path }) => path)), rules: ruleFiles(files) }
}

/** Packages and folders that do I/O. */
const io =
  /^(node:(fs|net|tls|http|https|dns|child_process|worker_threads)|pg|knex|objection|undici|ky|nodemailer|@temporalio)\b/
const ioFolders = /^(src\/(database|temporal|config)\/|src\/(services|loops?|logger|rate-limit)\.ts$|workflows\/)/

/**
 * Files of `src/` that only decide: neither they nor their imports do I/O. They may import types of rows and messages,
 * but none from a module that does I/O.
 */
function ruleFiles(files: SourceFile[]): Set<string> {
  const sources = new Map(files.filter(({ path }) => path.startsWith('src/')).map((file) => [file.path, file]))
  const rules = new Set([...sources.keys()].filter((path) => !ioFolders.test(path)))
  const isPure = ({ target, typeOnly, specifier }: Import): boolean => {
    if (!specifier.startsWith('.')) return !io.test(target)
    if (typeOnly) return !/^src\/(database\/database|temporal\/|safe-fetch\/safe-fetch\.ts)/.test(target)
    return rules.has(target)
  }
  for (let before = -1; before !== rules.size;) {
    before = rules.size
    for (const path of rules) if (!sources.get(path)?.imports.every(isPure)) rules.delete(path)
  }
  return rules
}

/** The problem of an import (docs/understand/how-it-works.md, "Import rules"). */
export function importProblem(path: string, entry: Import, shared: Shared): string | undefined {
  const { specifier, target, typeOnly } = entry
  const from = placeOf(path)
  if (from.top === 'bin' || from.top === 'test' || from.top === 'bench') return undefined
  const allowed = specifier.startsWith('.')
    ? from.top === 'src'
      ? srcMayImport(path, from, entry, shared)
      : from.top === 'check-site'
        ? checkSiteMayImport(entry, shared)
        : folderMayImport(from, placeOf(target), typeOnly)
    : (mayImport[from.top]?.packages?.test(target) ?? true)
  return allowed ? undefined : `imports ${target}${typeOnly ? ' (types)' : ''}, which ${from.top}/ may not`
}

const adapterOf = (path: string): string | undefined => /^src\/sites\/dialects\/[^/]+(?=\/)/.exec(path)?.[0]

/** Those that know an adapter: the registry, the list of the threads' work, and what is for the owners of sites. */
const knowAdapters =
  /^(src\/sites\/dialects\/registry\.ts|src\/in-thread\.ts|check-site\/.*|api\/schemas\/toolsite-schema\.ts|bin\/docs\/.*|test\/.*)$/

/** The problem of an import that knows the dialect of a site. */
export function adapterProblem(path: string, { target }: Import): string | undefined {
  const adapter = adapterOf(target)
  if (adapter === undefined || adapterOf(path) === adapter || knowAdapters.test(path)) return undefined
  return `imports ${target}; use the dialect that src/services.ts passes in`
}

function folderMayImport({ top }: Place, target: Place, typeOnly: boolean): boolean {
  const allowed = mayImport[top]
  return (
    target.top === top ||
    !!allowed?.from.includes(target.top) ||
    (typeOnly && !!allowed?.typesFrom.includes(target.top))
  )
}

/** Site owners run it without a platform. It needs the rules of sites, safe-fetch and hiding, but no record. */
function checkSiteMayImport({ target }: Import, { rules }: Shared): boolean {
  if (/^(check-site|src\/(safe-fetch|hiding))\//.test(target) || /^src\/(errors|json|version)\.ts$/.test(target))
    return true
  return target.startsWith('src/sites/') && rules.has(target)
}

function srcMayImport(path: string, from: Place, { target, typeOnly }: Import, shared: Shared): boolean {
  const place = placeOf(target)
  if (plumbingMayImport.some(([who, what]) => who.test(path) && what(place, target))) return true
  if (place.top === 'workflows') return typeOnly && target === 'workflows/messages.ts'
  if (place.top !== 'src' || target === 'src/services.ts') return false
  if (place.noun === from.noun || place.noun === undefined) return true
  if (place.noun === 'loop' && drivers.has(from.noun ?? '')) return true
  if (from.noun === 'loop' && drivers.has(place.noun)) return false
  if (drivers.has(from.noun ?? '') && behindLoop.has(place.noun)) return false
  return from.noun !== undefined && (typeOnly || shared.rows.has(target) || shared.rules.has(target))
}
