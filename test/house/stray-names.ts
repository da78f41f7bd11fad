import { dirname, join } from 'node:path'
import { readPages } from './citations.ts'
import type { SourceFile } from './source.ts'

/** A place that must change when a source file is renamed, although it does not import the file. */
interface StrayName {
  path: string
  problem: string
}

/** The maps of the code. Each names a file once, so a rename changes one line per page. */
const maps = new Set(['docs/understand/how-it-works.md', 'CONTRIBUTING.md'])

/** Checks that a renamed source file changes its importers and one line of each map, and nothing else. */
export const checkStrayNames = (files: SourceFile[]): StrayName[] => strayNames(readPages(), files)

/**
 * Finds names of source files in pages and in comments of files that do not import them, and names of functions in
 * comments of files that do not use them. A function name of one word looks like any other word, so it does not count.
 */
export function strayNames(pages: { path: string; text: string }[], files: SourceFile[]): StrayName[] {
  const find = createFind(files.map(({ path }) => path))
  const functions = new Set(files.filter(({ path }) => path.startsWith('src/')).flatMap(functionsOf))
  return [
    ...pages.flatMap(({ path, text }) => strayNamesInPage(path, namesIn(text), find)),
    ...files.flatMap((file) => [...strayNamesInComments(file, find), ...functionsInComments(file, functions)]),
  ]
}

/** The files that a name may refer to: `b/c.ts` refers to `a/b/c.ts`. */
type Find = (name: string) => string[]

function createFind(paths: string[]): Find {
  return (name) => paths.filter((path) => `/${path}`.endsWith(`/${name}`))
}

const namesIn = (text: string): string[] =>
  [...text.matchAll(/(?<![\w.*-])(?:\.{1,2}\/)*((?:[\w.-]+\/)*[\w-][\w.-]*\.ts)\b/g)].map(([, name = '']) => name)

function strayNamesInPage(path: string, names: string[], find: Find): StrayName[] {
  // A folder's own page may name the files beside it, and a page for readers who copy an example names its files.
  const mayName = (name: string): boolean =>
    name.startsWith('examples/') || find(name).includes(join(dirname(path), name))
  const found = names.filter((name) => find(name).length > 0 && !mayName(name))
  if (!maps.has(path))
    return found.map((name) => ({
      path,
      problem: `names the source file ${name}; only ${[...maps].join(' and ')} may`,
    }))
  const twice = found.filter((name, index) => found.findIndex((other) => find(other).some(isIn(find(name)))) < index)
  return twice.map((name) => ({ path, problem: `names the source file ${name} twice` }))
}

const isIn = (paths: string[]) => (path: string) => paths.includes(path)

function strayNamesInComments({ path, text, comments, imports }: SourceFile, find: Find): StrayName[] {
  // The SQL of migrations has its own comments.
  const read = path.startsWith('migrations/') ? text : comments
  const known = [path, ...imports.map(({ target }) => target)]
  const strange = namesIn(read).filter((name) => find(name).length > 0 && !find(name).some(isIn(known)))
  return strange.map((name) => ({ path, problem: `has a comment that names ${name}, which it does not import` }))
}

const functionsOf = ({ code }: SourceFile): string[] =>
  [...code.matchAll(/^export (?:async function|function|const) ([a-z]+[A-Z]\w*)(?:\(| = (?:async )?\()/gm)].map(
    ([, name = '']) => name,
  )

function functionsInComments({ path, code, comments }: SourceFile, functions: Set<string>): StrayName[] {
  const named = [...comments.matchAll(/`([a-z]+[A-Z]\w*)(?:\([^`]*\))?`/g)].map(([, name = '']) => name)
  const strange = named.filter((name) => functions.has(name) && !new RegExp(`\\b${name}\\b`).test(code))
  return strange.map((name) => ({
    path,
    problem: `has a comment that names the function ${name}, which it does not use`,
  }))
}
