import type { AnyRoute } from '../../route/route.ts'
import type { Guide } from '../guide.ts'
import { plain } from '../inline.ts'
import type { Page } from '../markdown.ts'
import type { Entry } from '../menu.ts'
import { pathOf } from '../page-paths.ts'
import { hrefOf } from '../reference/document.ts'

export interface Findable {
  title: string
  /** Its location for people: the page of a section, or the method and path of an operation. */
  where: string
  href: string
  text: string
  /** Text that is searched but not shown. */
  code: string
  /** For a whole page: what the table of contents says about it. */
  about: string
  /** Its weight relative to a section: whole pages are better answers. */
  weight: number
}

/**
 * All items of the search index: the pages of the guide with their sections and codes, and the operations of the API.
 */
export async function* findables(guide: Guide, routes: readonly AnyRoute[]): AsyncGenerator<Findable[]> {
  yield routes.map(ofRoute)
  for (const entry of guide.entries) {
    const page = await guide.read(entry.file)
    if (page) yield sectionsOf(page, entry)
  }
}

const ofRoute = ({ name, tag, method, path, summary, description = '' }: AnyRoute): Findable => ({
  title: summary,
  where: `API · ${method.toUpperCase()} ${path}`,
  href: hrefOf({ tag, name }),
  text: plain(description),
  code: name,
  about: '',
  weight: 0.8,
})

const weights = { page: 1.5, section: 1, row: 0.8 }
/** By folder: what readers do ranks before what they look up. The specification is for implementers. */
const ofPart: Record<string, number> = {
  start: 1.6,
  'how-to': 1.5,
  sites: 1.2,
  operate: 0.8,
  reference: 0.7,
  understand: 0.6,
  'specification.md': 0.15,
  'performance.md': 0.15,
}

function sectionsOf({ file, title: page, sections }: Page, { about = '' }: Entry): Findable[] {
  const place = pathOf(file) ?? '/docs'
  return sections.map(({ kind, title, anchor, text, code }) => ({
    title,
    where: kind === 'page' ? 'Guide' : page,
    href: anchor === '' ? place : `${place}#${anchor}`,
    text,
    code,
    about: kind === 'page' ? about : '',
    weight: weights[kind] * (ofPart[file.split('/', 1)[0] ?? ''] ?? 1),
  }))
}
