import { escape } from './escape.ts'
import type { Guide } from './guide.ts'
import { layout } from './layout.ts'
import type { Heading, Page } from './markdown.ts'
import type { Entry } from './menu.ts'
import { pathOf } from './page-paths.ts'

/** The number of second-level headings from which a page gets a table of contents. */
const leastHeadings = 3

/** A page of the guide as a page of the site. */
export function guidePage(guide: Guide, { file, title, html, headings }: Page): string {
  const href = pathOf(file) ?? '/docs'
  const contents = contentsOf(headings)
  return layout({
    title,
    href,
    menu: guide.menu,
    main: `${partOf(guide, href)}<article>\n${contents === '' ? html : withContents(html, contents)}</article>\n${steps(guide, href)}`,
    ...(contents !== '' && {
      aside: `<nav class="contents beside" aria-label="On this page"><p>On this page</p>${contents}</nav>\n`,
    }),
  })
}

/** The title of the part, shown above the page title. */
function partOf({ menu }: Guide, href: string): string {
  const part = menu.find(({ entries }) => entries.some((entry) => entry.href === href))
  return part ? `<p class="part">${escape(part.title)}</p>\n` : ''
}

function contentsOf(headings: readonly Heading[]): string {
  const listed = headings.filter(({ level }) => level === 2)
  if (listed.length < leastHeadings) return ''
  const items = listed.map(({ text, anchor }) => `<li><a href="#${escape(anchor)}">${escape(text)}</a></li>`)
  return `<ul>${items.join('')}</ul>`
}

/** On narrow screens the table of contents is collapsed below the title. */
const withContents = (html: string, contents: string): string =>
  html.replace(
    '</h1>',
    () => `</h1>\n<details class="contents above"><summary>On this page</summary>${contents}</details>`,
  )

/** The links to the previous and next page in the order of the menu. */
function steps({ entries }: Guide, href: string): string {
  const index = entries.findIndex((entry) => entry.href === href)
  const links = [
    step('Previous', 'prev', index > 0 ? entries[index - 1] : undefined),
    step('Next', 'next', entries[index + 1]),
  ]
  return `<nav class="steps" aria-label="Previous and next page">${links.join('')}</nav>\n`
}

const step = (label: string, rel: string, entry: Entry | undefined): string =>
  entry === undefined
    ? ''
    : `<a rel="${rel}" href="${escape(entry.href)}"><span>${label}</span>${escape(entry.title)}</a>`
