import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** A block of code on a page: what stands behind the three backticks, and the text. */
export interface Block {
  language: string
  /** The rest of the info string: `setup`, `not-run: <reason>`, or a file of the repository. */
  note: string
  text: string
}

/** A page of the guide. */
export interface GuidePage {
  /** Inside the repository. */
  path: string
  blocks: Block[]
  /** The pages that its paragraph "You need …" links to. */
  needs: string[]
}

function readPage(path: string): GuidePage {
  const text = readFileSync(join(root, path), 'utf8')
  const [need = ''] = /^You need [^]*?\n\n/m.exec(text) ?? []
  const links = [...need.matchAll(/\]\(([^)#]+\.md)[^)]*\)/g)].map(([, link = '']) => join(dirname(path), link))
  const fences = [...text.matchAll(/^```(\S+)[ \t]*(.*)\n([^]*?)^```$/gm)]
  const blocks = fences.map(([, language = '', note = '', code = '']) => ({ language, note, text: code }))
  return { path, blocks, needs: links.filter((link) => link.startsWith('docs/start/')) }
}

/** The pages of some folders of `docs/`, in the order of their names. */
export const readPages = (...folders: string[]): GuidePage[] =>
  folders.flatMap((folder) =>
    (existsSync(join(root, folder)) ? readdirSync(join(root, folder)) : [])
      .filter((name) => name.endsWith('.md') && name !== 'README.md')
      .toSorted()
      .map((name) => readPage(`${folder}/${name}`)),
  )

const isCommand = ({ language }: Block): boolean => language === 'sh'
/** Whether readers run it in the shell of the page. */
export const isRun = (block: Block): boolean => isCommand(block) && (block.note === '' || block.note === 'setup')

/** What has to be run before a page: the set-up of the pages that it needs, and of those that they need. */
export function setUpOf(page: GuidePage): string[] {
  const needed = new Set<string>()
  const add = (path: string): void => {
    if (path === page.path || needed.has(path)) return
    for (const before of readPage(path).needs) add(before)
    needed.add(path)
  }
  for (const path of page.needs) add(path)
  return [...needed].flatMap((path) =>
    readPage(path)
      .blocks.filter(({ note }) => note === 'setup')
      .map(({ text }) => text),
  )
}

/** The file of the repository that a block is an excerpt of; undefined for any other block. */
export const excerptedFile = ({ note }: Block): string | undefined => /^examples\/\S+$/.exec(note)?.[0]
