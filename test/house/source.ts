import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** One import or re-export of a source file. */
export interface Import {
  /** As written: `./a.ts`, `koa`. */
  specifier: string
  /** The path of the file inside the repository, or the name of the package (`node:fs`, `@temporalio/client`). */
  target: string
  /** Whether it is erased at run time. */
  typeOnly: boolean
}

/** A TypeScript file, or a style sheet of the console, parsed for the rules. */
export interface SourceFile {
  /** Its path inside the repository, with `/`. */
  path: string
  text: string
  /** Without comments, so that rules do not match them. */
  code: string
  /** The text of its comments, one per line. */
  comments: string
  lines: number
  imports: Import[]
}

/** Whether a file has tests that take minutes (`npm run test:slow`): of crashes, of time, of load. */
export const isSlowTest = (path: string): boolean => path.endsWith('.slow.ts')

/** Whether ava runs a file. */
export const isTest = (path: string): boolean => path.endsWith('.test.ts') || isSlowTest(path)

const folders = [
  'src',
  'api',
  'workflows',
  'activities',
  'migrations',
  'bin',
  'check-site',
  'conformance',
  'examples',
  'bench',
  'clients',
  'console',
  'test',
]

const isSource = /\.ts$|^console\/.*\.(tsx|css)$/
/** Written by programs, or by others. */
const isMadeElsewhere = /\/(together|generated|node_modules|peers|dist)\/|^console\/api\/schema\.d\.ts$/

/**
 * Reads every TypeScript file of the repository. It finds imports by regular expressions: TypeScript 7 has no compiler
 * API, and the formatter puts every import at the start of a line, in single quotes. `bench/peers` uses other products
 * with packages of its own, so the rules do not apply there.
 */
export function readHouse(root: string): SourceFile[] {
  const paths = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => isSource.test(path) && !isMadeElsewhere.test(path)),
  )
  return paths.toSorted().map((path) => readSource(path, readFileSync(join(root, path), 'utf8')))
}

export function readSource(path: string, text: string): SourceFile {
  const code = withoutComments(text)
  return {
    path,
    text,
    code,
    comments: commentsOf(text),
    lines: text.trimEnd().split('\n').length,
    imports: importsOf(path, code),
  }
}

const withoutComments = (text: string): string =>
  text.replaceAll(/^[ \t]*\/\*[\s\S]*?\*\//gm, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')

/** Block comments, and groups of line comments, each as one line without its marks. */
const commentsOf = (text: string): string =>
  [...text.matchAll(/^[ \t]*\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+|(?<=\s)\/\/.*$/gm)]
    .map(([comment]) => comment.replaceAll(/^\s*(?:\/\*+|\*+\/|\*|\/\/)|\*+\/$/gm, '').replaceAll(/\s+/g, ' '))
    .join('\n')

/** `import a, { b } from 'c'`, `import type …`, `import 'c'`, `export { a } from 'c'`, `export * from 'c'`. */
const statements = [
  /^import\s+(?<type>type\s+)?(?:(?<names>[\w$*{},\s]+?)\s+from\s+)?'(?<specifier>[^']+)'/gm,
  /^export\s+(?<type>type\s+)?(?<names>\*(?:\s+as\s+\w+)?|\{[^}]*\})\s+from\s+'(?<specifier>[^']+)'/gm,
  /\bimport\(\s*'(?<specifier>[^']+)'/g,
]

function importsOf(path: string, code: string): Import[] {
  return statements.flatMap((statement) =>
    [...code.matchAll(statement)].map(({ groups = {} }) => {
      const { type, names, specifier = '' } = groups
      return { specifier, target: resolve(path, specifier), typeOnly: type !== undefined || onlyTypes(names) }
    }),
  )
}

/** `{ type A, type B }` is erased like `import type { A, B }`. */
function onlyTypes(names = ''): boolean {
  const listed =
    /^\{([\s\S]*)\}$/
      .exec(names)?.[1]
      ?.split(',')
      .map((name) => name.trim())
      .filter(Boolean) ?? []
  return listed.length > 0 && listed.every((name) => name.startsWith('type '))
}

function resolve(path: string, specifier: string): string {
  if (specifier.startsWith('.')) return normalize(join(dirname(path), specifier))
  return specifier.startsWith('@') ? specifier.split('/', 2).join('/') : (specifier.split('/')[0] ?? specifier)
}
