import { posix } from 'node:path'

/** The addresses of the guide's pages, and how the files of docs/ link to each other. */

const pages = /^(?:(?:start|how-to|understand|operate|sites|reference)\/)?[a-z\d-]+\.md$/

/** Pages directly in docs/ that are part of the guide. */
export const alone = new Set(['specification.md', 'performance.md'])

/** The path of a file of docs/ on the site; undefined for a file that is only in the repository. */
export function pathOf(file: string): string | undefined {
  if (file === 'README.md') return '/docs'
  if (file === 'openapi.json') return '/docs/api'
  return isPage(file) ? `/docs/${file.slice(0, -'.md'.length)}` : undefined
}

/** The path of a picture in docs/images. */
export const pathOfPicture = (name: string): string => `/docs/images/${name}`

/** Whether a file of docs/ is a page of the guide. */
export const isPage = (file: string): boolean => pages.test(file) && (file.includes('/') || alone.has(file))

/** The target of a link: an address of the site, or a file that only the repository has. */
export type LinkTarget = { href: string; isElsewhere: boolean } | { inRepository: string }

/** Resolves a link of a page, which is relative to the page's file, as on a code host. */
export function linkTarget(link: string, file: string): LinkTarget {
  if (/^[a-z][a-z\d+.-]*:/i.test(link)) return { href: link, isElsewhere: true }
  const [path = '', anchor] = link.split('#')
  const fragment = anchor === undefined ? '' : `#${anchor}`
  if (path === '') return { href: fragment, isElsewhere: false }
  if (path.startsWith('/')) return { href: link, isElsewhere: false }
  const target = posix.join('docs', posix.dirname(file), path)
  const place = target.startsWith('docs/') ? pathOf(target.slice('docs/'.length)) : undefined
  return place === undefined ? { inRepository: target } : { href: place + fragment, isElsewhere: false }
}
