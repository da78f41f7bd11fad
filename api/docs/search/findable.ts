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
  weight: 0.8,
})

/** The specification is for implementers, so the guide ranks first. */
const weights = { page: 1.5, section: 1, row: 0.8 }
const ofSpecification = 0.15

function sectionsOf({ file, title: page, sections }: Page, entry: Entry): Findable[] {
  const place = pathOf(file) ?? '/docs'
  return sections.map(({ kind, title, anchor, text, code }) => ({
    title,
    where: kind === 'page' ? guideName(page, entry) : page,
    href: anchor === '' ? place : `${place}#${anchor}`,
    text,
    code,
    weight: weights[kind] * (file === 'specification.md' ? ofSpecification : 1),
  }))
}

/** The menu may use another title than the page. */
const guideName = (page: string, { title }: Entry): string => (title === page ? 'Guide' : `Guide · ${title}`)
