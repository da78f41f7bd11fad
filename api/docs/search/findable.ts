import type { AnyRoute } from '../../route/route.ts'
import type { Guide } from '../guide.ts'
import { plain } from '../inline.ts'
import type { Page } from '../markdown.ts'
import type { Entry } from '../menu.ts'
import { placeOf } from '../places.ts'
import { hrefOf } from '../reference/document.ts'

/** Something that the search finds. */
export interface Findable {
  title: string
  /** Where it is, for people: the page of a section, the method and path of an operation. */
  where: string
  href: string
  text: string
  /** What is searched and not shown. */
  code: string
  /** How much more it counts than a section: whole pages answer more. */
  weight: number
}

/** All that the search finds: the pages of the guide with their sections and codes, and the operations of the API. */
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

/** The specification is for implementers; the guide answers first. */
const weights = { page: 1.5, section: 1, row: 0.8 }
const ofSpecification = 0.15

function sectionsOf({ file, title: page, sections }: Page, entry: Entry): Findable[] {
  const place = placeOf(file) ?? '/docs'
  return sections.map(({ kind, title, anchor, text, code }) => ({
    title,
    where: kind === 'page' ? guideName(page, entry) : page,
    href: anchor === '' ? place : `${place}#${anchor}`,
    text,
    code,
    weight: weights[kind] * (file === 'specification.md' ? ofSpecification : 1),
  }))
}

/** The menu may have another title for a page than the page. */
const guideName = (page: string, { title }: Entry): string => (title === page ? 'Guide' : `Guide · ${title}`)
