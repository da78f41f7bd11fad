import { parseSync, type Expression, type Program, type Statement } from 'oxc-parser'
import type { SourceFile } from './source.ts'

/** A line comment that names the promises that a test proves: `// @promise <id> …`. */
export interface Tag {
  path: string
  ids: string[]
  /**
   * Whether it proves something: it is directly above a test, or at the top of a file with tests, where it counts for
   * all of them. A file outside `test/` is itself a test.
   */
  isAttached: boolean
}

/** The tags of files. Only comments count, not strings that look like tags. */
export const tagsIn = (files: readonly Pick<SourceFile, 'path' | 'text'>[]): Tag[] =>
  // Parsing all files would take seconds.
  files.filter(({ text }) => text.includes('// @promise')).flatMap(tagsOf)

/** The paths of the files in which a tag proves a promise. */
export const filesWithTag = (id: string, tags: readonly Tag[]): string[] => [
  ...new Set(tags.filter(({ ids, isAttached }) => isAttached && ids.includes(id)).map(({ path }) => path)),
]

function tagsOf({ path, text }: Pick<SourceFile, 'path' | 'text'>): Tag[] {
  const { program, comments } = parseSync(path, text)
  const tests = testsOf(program)
  const isWhole = tests.length > 0 || !path.startsWith('test/')
  const [first] = program.body
  return comments.flatMap(({ type, value, end }) => {
    const [, ids] = (type === 'Line' && /^ @promise\b(.*)$/.exec(value)) || []
    if (ids === undefined) return []
    const isTop = isWhole && first !== undefined && end < first.start
    const isAbove = tests.some(({ start }) => end < start && /^\n *$/.test(text.slice(end, start)))
    return [{ path, ids: ids.split(' ').filter(Boolean), isAttached: isTop || isAbove }]
  })
}

/** The statements that declare a test whenever the file is loaded. */
function testsOf({ body }: Program): Statement[] {
  const names = body.flatMap(importedTests)
  const withPrograms = body.flatMap(importedTestWith)
  const isTestWith = (node: Expression | null): boolean =>
    node?.type === 'CallExpression' && isNamed(node.callee, withPrograms)
  const ofPrograms = body.flatMap((one) =>
    one.type === 'VariableDeclaration' ? one.declarations.filter(({ init }) => isTestWith(init)) : [],
  )
  const declare = [...names, ...ofPrograms.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []))]
  const isTest = (node: Statement, own: string[] = []): boolean => {
    const callee = calleeOf(node)
    return (
      callee !== undefined && (isNamed(callee, [...declare, ...own]) || isSerial(callee, names) || isTestWith(callee))
    )
  }
  // A file may have its own function that declares a test.
  const own = body.flatMap((node) =>
    node.type === 'FunctionDeclaration' && node.body?.body.some((inner) => isTest(inner)) ? [node.id?.name ?? ''] : [],
  )
  return withLoops(body as Statement[]).filter((node) => isTest(node, own))
}

const calleeOf = (node: Statement): Expression | undefined =>
  node.type === 'ExpressionStatement' && node.expression.type === 'CallExpression' ? node.expression.callee : undefined

const isNamed = (node: Expression, names: string[]): boolean => node.type === 'Identifier' && names.includes(node.name)

const isSerial = (node: Expression, names: string[]): boolean =>
  node.type === 'MemberExpression' &&
  isNamed(node.object, names) &&
  node.property.type === 'Identifier' &&
  node.property.name === 'serial'

/** The local names of ava's `test`. */
const importedTests = (node: Program['body'][number]): string[] =>
  node.type === 'ImportDeclaration' && node.source.value === 'ava'
    ? node.specifiers.filter(({ type }) => type === 'ImportDefaultSpecifier').map(({ local }) => local.name)
    : []

/** The local names of the function that makes a `test` for tests that need other programs. */
const importedTestWith = (node: Program['body'][number]): string[] =>
  node.type === 'ImportDeclaration' && node.source.value.endsWith('/helpers/programs.ts')
    ? node.specifiers.map(({ local }) => local.name)
    : []

/** The statements of a file, including those in loops over a table. */
const withLoops = (body: readonly Statement[]): Statement[] =>
  body.flatMap((node) => {
    if (node.type !== 'ForOfStatement') return [node]
    return withLoops(node.body.type === 'BlockStatement' ? node.body.body : [node.body])
  })
