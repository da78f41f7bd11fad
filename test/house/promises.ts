import { readFileSync } from 'node:fs'
import { isTest, type SourceFile } from './source.ts'
import { filesWithTag, tagsIn, type Tag } from './tags.ts'

/** A promise that nothing proves, or a tag that proves nothing. */
interface BrokenPromise {
  path: string
  problem: string
}

/** The promises, for comparison with the tags. */
export interface Promised {
  /** An introduction, and sections whose lines are `` - `id`: sentence `command` … ``. */
  page: string
  /** Its commands may name promises. */
  readme: string
  scripts: Record<string, string>
}

const page = 'docs/contribute/promises.md'

/** Checks that each promise has a tagged test that its commands run, and that each tag names a promise. */
export function checkPromises(files: SourceFile[]): BrokenPromise[] {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const { scripts } = JSON.parse(read('package.json')) as Pick<Promised, 'scripts'>
  return brokenPromises({ page: read(page), readme: read('README.md'), scripts }, files)
}

/** The promises without a test, the commands that do not prove them, and the tags without a promise. */
export function brokenPromises(promised: Promised, files: SourceFile[]): BrokenPromise[] {
  const tags = tagsIn(files)
  const lines = linesIn(promised.page).map((line) => ({ line, promise: promiseIn(line) }))
  const promises = lines.flatMap(({ promise }) => promise ?? [])
  const known = new Set(promises.map(({ id }) => id))
  const inReadme = [...promised.readme.matchAll(/--promise[ =]([\w-]+)/g)].map(([, id = '']) => id)
  return [
    ...lines.filter(({ promise }) => !promise).map(({ line }) => at(page)(`has a line that is no promise: ${line}`)),
    ...promises.flatMap((promise) => problemsOf(promise, promised.scripts, tags)).map(at(page)),
    ...tags.flatMap((tag) => problemsOfTag(tag, known).map(at(tag.path))),
    ...inReadme.filter((id) => !known.has(id)).map((id) => at('README.md')(`names the promise ${id}, ${missing}`)),
    ...(known.size < promises.length ? [at(page)('gives two promises one id')] : []),
  ]
}

const missing = `which ${page} does not have`

const at = (path: string) => (problem: string) => ({ path, problem })

interface PromiseLine {
  id: string
  commands: string[]
}

/** Every line of a section must be a promise, and so must list items in the introduction. */
function linesIn(text: string): string[] {
  const [introduction = '', ...sections] = text.split(/^(?=## )/m)
  return [
    ...introduction.split('\n').filter((line) => /^\s*(?:[-*+]|\d+\.) /.test(line)),
    ...sections
      .join('')
      .split('\n')
      .filter((line) => !/^(?:#+ .*|\s*)$/.test(line)),
  ]
}

function promiseIn(line: string): PromiseLine | undefined {
  const [, id, commands = ''] = /^- `([\w-]+)`: .*?\.((?: `npm [^`]+`)*)$/.exec(line) ?? []
  if (id === undefined) return undefined
  return { id, commands: [...commands.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command) }
}

function problemsOf({ id, commands }: PromiseLine, scripts: Promised['scripts'], tags: Tag[]): string[] {
  const tagged = filesWithTag(id, tags)
  const reached = commands.map((command) => tagged.filter((path) => reaches(command, { id, path, scripts })))
  const missed = tagged.filter((path) => !reached.flat().includes(path))
  if (commands.length === 0) return [`gives no command for ${id}`]
  return [
    ...commands
      .filter((_command, index) => reached[index]?.length === 0)
      .map((command) => `has a command that runs no test of ${id}: ${command}`),
    ...missed.map((path) => `has no command that runs the test of ${id} in ${path}`),
  ]
}

/**
 * Whether a command runs a file. A script runs the files that it names, or the files in the folder of `test/` that its
 * argument selects.
 */
function reaches(command: string, file: { id: string; path: string; scripts: Promised['scripts'] }): boolean {
  const { id, path, scripts } = file
  const [, script, name] = /^npm run ([\w:-]+)(?: -- ([\w-]+))?$/.exec(command) ?? []
  if (script === undefined) return command === `npm test -- --promise ${id}` && isTest(path)
  if (name === undefined) return scripts[script]?.split(' ').includes(path) ?? false
  return script in scripts && (path === `test/${script}/${name}.ts` || path.startsWith(`test/${name}/`))
}

function problemsOfTag({ ids, isAttached }: Tag, known: Set<string>): string[] {
  if (ids.length === 0) return ['has a tag without a promise']
  if (!isAttached) return [`has the tag ${ids.join(' ')}, which is not above a test`]
  return ids.filter((id) => !known.has(id)).map((id) => `is tagged with the promise ${id}, ${missing}`)
}
