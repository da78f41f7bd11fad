import { escape } from '../escape.ts'
import { layout, maxQuery } from '../layout.ts'
import type { Part } from '../menu.ts'
import { excerptOf, marked } from './excerpt.ts'
import type { Found } from './search.ts'

/** The query and its results; `found` is undefined if nothing was searched. */
interface Answered {
  query: string
  found: Found[] | undefined
}

export function searchPage(menu: readonly Part[], { query, found }: Answered): string {
  return layout({
    title: query === '' ? 'Search' : `Search: ${query.slice(0, maxQuery)}`,
    href: '/docs/search',
    menu,
    query: query.slice(0, maxQuery),
    main: `<article class="results">\n<h1>Search</h1>\n<p role="status">${escape(summary({ query, found }))}</p>\n${list(found ?? [])}</article>\n`,
  })
}

function summary({ query, found }: Answered): string {
  if (query.length > maxQuery) return `Use ${maxQuery} characters or fewer.`
  if (found === undefined) return 'Type what you are looking for: a task, an operation, an error code or a setting.'
  if (found.length === 0) return `Nothing found for “${query}”. Try fewer or different words.`
  return `${found.length} ${found.length === 1 ? 'result' : 'results'} for “${query}”`
}

const list = (found: readonly Found[]): string =>
  found.length === 0 ? '' : `<ol>\n${found.map(result).join('')}</ol>\n`

const result = ({ title, where, href, text, terms }: Found): string => `<li>
<a href="${escape(href)}">${marked(title, terms)}</a>
<p class="where">${escape(where)}</p>
<p>${excerptOf(text, terms)}</p>
</li>
`
