import { linkTarget, isPage } from './page-paths.ts'

/** An entry of the menu: a page of the guide, or the API reference. */
export interface Entry {
  title: string
  /** The address on the site. */
  href: string
  file: string
  /** What the table of contents says about its page. */
  about?: string
}

export interface Part {
  title: string
  entries: Entry[]
}

/** Reads the menu from the lists of docs/README.md. Omits files that only the repository has. */
export function readMenu(text: string): Part[] {
  const parts = text.split(/^## +/m).slice(1)
  return parts
    .map((part) => ({ title: part.split('\n', 1)[0]?.trim() ?? '', entries: readEntries(part) }))
    .filter(({ entries }) => entries.length > 0)
}

const readEntries = (part: string): Entry[] =>
  [...part.matchAll(/^[-*] +\[([^\]]+)\]\(([^)#\s]+)\)(?:: (.*))?/gm)].flatMap(
    ([, title = '', file = '', about = '']) => {
      const to = linkTarget(file, 'README.md')
      return 'href' in to && !to.isElsewhere ? [{ title: title.replaceAll('`', ''), href: to.href, file, about }] : []
    },
  )

/** The pages of the guide in the order of the menu. */
export const pagesIn = (menu: readonly Part[]): Entry[] =>
  menu.flatMap(({ entries }) => entries).filter(({ file }) => isPage(file))
