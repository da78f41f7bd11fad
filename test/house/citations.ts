import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAnchors } from '../../api/docs/anchors.ts'
import type { SourceFile } from './source.ts'

/** A text that cites documents: a page, or the comments of a source file. */
export interface Citing {
  path: string
  text: string
  isPage: boolean
}

export interface Library {
  has: (path: string) => boolean
  read: (path: string) => string
  /** The file name of the decision with this number. */
  decision: (number: string) => string | undefined
}

/** A citation of something that is not in the repository. */
interface BrokenCitation {
  path: string
  problem: string
}

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Checks that readers can follow every citation: the document and the named section are in the repository. */
export function checkCitations(files: SourceFile[]): BrokenCitation[] {
  const pages = readPages().map((page) => ({ ...page, isPage: true }))
  const comments = files.map(({ path, comments: text }) => ({ path, text, isPage: false }))
  return brokenCitations([...pages, ...comments], onDisk)
}

export function brokenCitations(texts: Citing[], library: Library): BrokenCitation[] {
  const headings = createHeadings(library)
  return texts.flatMap((citing) => {
    const problems = problemsIn({ ...citing, text: withoutFences(citing.text), library, headings })
    return [...new Set(problems)].map((problem) => ({ path: citing.path, problem }))
  })
}

/** A citing text and the repository to check it against. */
interface Desk extends Citing {
  library: Library
  headings: (path: string) => string[]
}

function problemsIn(desk: Desk): string[] {
  const { text, isPage, library } = desk
  return [
    ...[...mentions(text), ...(isPage ? links(text) : [])].flatMap((target) => problemOfTarget(target, desk)),
    ...(isPage ? sources(text).filter((path) => !library.has(path)) : []).map(
      (path) => `names ${path}, which is not there`,
    ),
    ...sections(text).flatMap((section) => problemsOfSections(section, desk)),
    ...decisions(text)
      .filter((number) => library.decision(number) === undefined)
      .map((number) => `cites docs/decisions/${number}, which is not there`),
    ...withoutFile(text).map((words) => `cites ${words} without its file`),
  ]
}

const matches = (text: string, pattern: RegExp): string[][] => [...text.matchAll(pattern)].map((match) => [...match])

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ')

const withoutFences = (text: string): string => text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '')

interface Target {
  path: string
  anchor: string | undefined
}

const toTarget = ([, path = '', anchor]: string[]): Target => ({ path, anchor })

/** Source files, named from the root of the repository. */
const sources = (text: string): string[] =>
  matches(
    text,
    /(?<![\w/.-])((?:src|api|bin|workflows|activities|test|check-site|conformance|migrations|bench)\/[\w./-]*\.ts)\b/g,
  ).map(([, path = '']) => path)

/** Names of Markdown files with their folders and anchors, except in web addresses. */
const mentions = (text: string): Target[] =>
  matches(text, /(?<![\w/:.-])((?:\.{1,2}\/)*\w[\w.-]*(?:\/[\w.-]+)*\.md)\b(?:#([\w-]+))?/g).map(toTarget)

/** Markdown links to places inside the repository. */
const links = (text: string): Target[] => matches(text, /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g).map(toTarget)

/** A file, or a link to it, followed by the quoted titles of its sections. */
const sections = (text: string): { path: string; titles: string[] }[] =>
  matches(text, /([\w./-]+\.md)\)?,\s+("[^"]+"(?:(?:,| and)\s+"[^"]+")*)/g).map(([, path = '', quoted = '']) => ({
    path,
    titles: matches(quoted, /"([^"]+)"/g).map(([, title = '']) => oneLine(title)),
  }))

const decisions = (text: string): string[] =>
  matches(text, /docs\/decisions\/(\d{4})\b(?!-)/g).map(([, number = '']) => number)

/** The quoted title of a section, before or after the bare word for its document. */
const withoutFile = (text: string): string[] =>
  matches(
    text,
    /(?<![\w./-])(?:specification|decisions)(?:,\s|\b[\w\s]{0,30}\()\s*"[^"]+"|"[^"]+"\s+(?:in|of)\s+the\s+(?:specification|decisions)\b/gi,
  ).map(([words = '']) => oneLine(words))

function problemOfTarget({ path, anchor }: Target, desk: Desk): string[] {
  const file = path === '' ? desk.path : find(path, desk)
  if (file === undefined) return [`cites ${path}, which is not there`]
  if (anchor === undefined || !file.endsWith('.md')) return []
  const isThere = desk.headings(file).map(createAnchors()).includes(anchor)
  return isThere ? [] : [`cites ${path}#${anchor}, and there is no such heading`]
}

/** A missing file is reported at its mention. */
function problemsOfSections({ path, titles }: { path: string; titles: string[] }, desk: Desk): string[] {
  const file = find(path, desk)
  const known = file === undefined ? titles : desk.headings(file)
  return titles
    .filter((title) => !known.includes(title))
    .map((title) => `cites "${title}" of ${path}, which has no such heading`)
}

/** From the folder of the citing text, or from the root of the repository. */
const find = (path: string, { path: from, library }: Desk): string | undefined =>
  [join(dirname(from), path), path].map((one) => normalize(one).replace(/\/$/, '')).find((one) => library.has(one))

function createHeadings(library: Library): Desk['headings'] {
  const known = new Map<string, string[]>()
  return (path) => {
    const titles = known.get(path) ?? headingsIn(withoutFences(library.read(path)))
    known.set(path, titles)
    return titles
  }
}

const headingsIn = (page: string): string[] =>
  matches(page, /^#{1,6} +(.+?) *$/gm).map(([, title = '']) => title.replaceAll(/`|\[([^\]]*)\]\([^)]*\)/g, '$1'))

const onDisk: Library = {
  has: (path) => !path.startsWith('..') && existsSync(join(root, path)),
  read: (path) => readFileSync(join(root, path), 'utf8'),
  decision: (number) => readdirSync(join(root, 'docs/decisions')).find((name) => name.startsWith(`${number}-`)),
}

const inTheRoot = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md']

export function readPages(): { path: string; text: string }[] {
  const inside = (folder: string, end: string) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith(end) && !path.includes('/node_modules/'))
  return [...inTheRoot, ...inside('docs', '.md'), ...inside('examples', '/README.md')].map((path) => ({
    path,
    text: onDisk.read(path),
  }))
}
