import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { renderPage, type Page } from './markdown.ts'
import { pagesIn, readMenu, type Entry, type Part } from './menu.ts'

/** The guide: the pages that docs/README.md lists. */
export interface Guide {
  menu: readonly Part[]
  /** The pages in the order of the menu. */
  entries: readonly Entry[]
  /** A page of the menu, or README.md. Undefined if the menu does not list it or the file does not exist. */
  read: (file: string) => Promise<Page | undefined>
}

const docs = new URL('../../docs/', import.meta.url)

/** Reads only the menu. Each page is read and rendered at its first request, and then kept. */
export function createGuide(folder: URL = docs): Guide {
  const menu = readMenu(readFileSync(new URL('README.md', folder), 'utf8'))
  const entries = pagesIn(menu)
  const known = new Set(['README.md', ...entries.map(({ file }) => file)])
  const kept = new Map<string, Page>()
  const read = async (file: string): Promise<Page | undefined> => {
    if (!known.has(file)) return undefined
    const page = kept.get(file) ?? (await readPage(file, folder))
    if (page) kept.set(file, page)
    return page
  }
  return { menu, entries, read }
}

async function readPage(file: string, folder: URL): Promise<Page | undefined> {
  try {
    return renderPage(file, await readFile(new URL(file, folder), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
