import { version } from '../../src/version.ts'
import { escape } from './escape.ts'
import type { Entry, Part } from './menu.ts'

/** The parts of a page that differ from page to page. */
export interface View {
  title: string
  /** The address of the page, which the menu highlights. */
  href: string
  menu: readonly Part[]
  main: string
  /** Content beside the main column on wide screens, as HTML. */
  aside?: string
  query?: string
  scripts?: readonly string[]
}

/** The longest query, in characters. */
export const maxQuery = 100

/**
 * A page of the site. It works without scripts and loads nothing from other hosts. The menu appears twice: beside the
 * content, and collapsed above it on narrow screens.
 */
export const layout = (view: View): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(view.title)} · Switchyard</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/site.css">
${['/docs/site.js', ...(view.scripts ?? [])].map((src) => `<script src="${src}" defer></script>`).join('\n')}
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
${header(view)}
<div class="columns">
${menuBeside(view)}<main id="content" tabindex="-1">
${menuAbove(view)}${view.main}</main>
${view.aside ?? ''}</div>
<footer><p>Switchyard ${escape(version)}</p></footer>
</body>
</html>
`

const header = ({ query = '', href }: View): string => `<header class="top">
<a class="brand" href="/docs">Switchyard</a>
<form class="search" role="search" action="/docs/search">
<label class="unseen" for="query">Search the documentation</label>
<input id="query" name="q" type="search" maxlength="${maxQuery}" placeholder="Search" autocomplete="off" value="${escape(query)}">
<button>Search</button>
</form>
<nav class="sites" aria-label="Documentation">
<a href="/docs"${isOfApi(href) ? '' : ' class="here"'}>Guide</a>
<a href="/docs/api"${isOfApi(href) ? ' class="here"' : ''}>API</a>
</nav>
</header>`

const isOfApi = (href: string): boolean => /^\/docs\/api(\/|$)/.test(href)

const menuBeside = ({ menu, href }: View): string =>
  `<nav class="menu beside" aria-label="Pages">\n${parts(menu, href)}</nav>\n`

const menuAbove = ({ menu, href }: View): string =>
  `<details class="menu above"><summary>Menu</summary>\n<nav aria-label="Pages">\n${parts(menu, href)}</nav></details>\n`

/** The part with the page is open, or the first part if no part has the page. */
function parts(menu: readonly Part[], href: string): string {
  const has = ({ entries }: Part): boolean => entries.some((entry) => entry.href.split('#', 1)[0] === href)
  const open = menu.find(has) ?? menu[0]
  return menu
    .map((part) => {
      const items = part.entries.map((entry) => item(entry, href)).join('')
      return `<details${part === open ? ' open' : ''}><summary>${escape(part.title)}</summary><ul>${items}</ul></details>\n`
    })
    .join('')
}

const item = ({ title, href: own }: Entry, href: string): string =>
  `<li><a href="${escape(own)}"${own === href ? ' class="here" aria-current="page"' : ''}>${escape(title)}</a></li>`
