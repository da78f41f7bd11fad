import { basename } from 'node:path/posix'
import MarkdownIt from 'markdown-it'
import type { RendererRule, Token } from 'markdown-it'
import { createAnchors } from './anchors.ts'
import { escape } from './escape.ts'
import { linkTarget, pathOfPicture } from './page-paths.ts'
import { readSections, textOf, type Section } from './sections.ts'

export interface Heading {
  level: number
  text: string
  anchor: string
}

export interface Page {
  /** Its path in docs/. */
  file: string
  title: string
  html: string
  headings: Heading[]
  /** The addresses on this site that the page links to. */
  links: string[]
  anchors: string[]
  sections: Section[]
}

/**
 * markdown-it follows CommonMark, supports GitHub tables, and exposes tokens before it renders HTML: headings, links
 * and sections are read from them. HTML in a page is shown as text.
 */
const markdown = new MarkdownIt({ html: false })

const { rules } = markdown.renderer
const asUsual: RendererRule = (tokens, index, options, _env, self) => self.renderToken(tokens, index, options)

/** Wide tables scroll in their own box, so that the page does not. The keyboard must reach that box. */
rules['table_open'] = (...given) =>
  `<div class="table" role="region" aria-label="Table" tabindex="0">${asUsual(...given)}`
rules['table_close'] = (...given) => `${asUsual(...given)}</div>`

const asPicture = rules['image'] ?? asUsual
rules['image'] = (tokens, index, ...rest) => {
  const picture = tokens[index]!
  picture.attrSet('src', pathOfPicture(basename(String(picture.attrGet('src')))))
  return asPicture(tokens, index, ...rest)
}

rules['fence'] = (tokens, index) => {
  const { content, info } = tokens[index]!
  const language = /^[\w+-]*/.exec(info)?.[0] ?? ''
  const name = language === '' ? '' : ` data-language="${language}"`
  return `<div class="code"${name}><pre tabindex="0"><code>${escape(content)}</code></pre></div>\n`
}

/** Renders the text of a file of docs/. */
export function renderPage(file: string, text: string): Page {
  const tokens = markdown.parse(text, {})
  const headings = nameHeadings(tokens)
  const rows = nameRows(tokens, file)
  const links = leadLinks(tokens, file)
  return {
    file,
    title: headings.find(({ level }) => level === 1)?.text ?? file,
    html: markdown.renderer.render(tokens, markdown.options),
    headings,
    links,
    anchors: [...headings.map(({ anchor }) => anchor), ...rows],
    sections: readSections(tokens, headings),
  }
}

/** Rewrites links to the site's addresses, and returns those addresses. */
function leadLinks(tokens: Token[], file: string): string[] {
  return tokens.flatMap(({ children }) =>
    (children ?? []).flatMap((token, index, all) => {
      if (token.type !== 'link_open') return []
      const to = linkTarget(String(token.attrGet('href')), file)
      if ('inRepository' in to) return withoutLink(token, to.inRepository, all.slice(index))
      token.attrSet('href', to.href)
      return to.isElsewhere ? [] : [to.href]
    }),
  )
}

/** The path of a file that a link led to. This site does not show the file. */
const inRepository = 'in_repository'

rules[inRepository] = (tokens, index) => {
  const { content, hidden } = tokens[index]!
  const path = `<code>${escape(content)}</code>`
  return hidden ? `${path} (in the repository)` : ` (${path} in the repository)`
}

/**
 * Replaces a link to a file that only the repository has with the link's text and the path. A text that is the path is
 * not repeated. The paths of decisions and of other files in docs/ are not shown, because few readers look for them.
 */
function withoutLink(opening: Token, path: string, following: Token[]): [] {
  const end = following.findIndex(({ type }) => type === 'link_close')
  const inside = following.slice(1, end)
  const content = path.replace(/\/(?:README\.md)?$/, '')
  const isPath = inside.map((token) => token.content.replace(/\/$/, '')).join('') === content
  opening.hidden = true
  if (isPath) for (const token of inside) Object.assign(token, { type: 'text', content: '' })
  Object.assign(
    following[end]!,
    path.startsWith('docs/') ? { hidden: true } : { type: inRepository, content, hidden: isPath },
  )
  return []
}

function nameHeadings(tokens: Token[]): Heading[] {
  const toAnchor = createAnchors()
  return tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return []
    const text = textOf(tokens[index + 1])
    const anchor = toAnchor(text)
    token.attrSet('id', anchor)
    return [{ level: Number(token.tag.slice(1)), text, anchor }]
  })
}

/** Rows about a code or a setting get its name as an anchor, so that search results can link to them. */
function nameRows(tokens: Token[], file: string): string[] {
  if (!file.startsWith('reference/')) return []
  const taken = new Set<string>()
  for (const [index, row] of tokens.entries()) {
    const name = row.type === 'tr_open' ? nameOfRow(tokens, index) : undefined
    if (name === undefined || taken.has(name)) continue
    taken.add(name)
    row.attrSet('id', name)
  }
  return [...taken]
}

/** The first cell in lowercase if it is a name in capitals: `NO_CREDITS` is `no_credits`. */
function nameOfRow(tokens: Token[], index: number): string | undefined {
  const cell = tokens[index + 2]
  const isNamed = cell?.type === 'inline' && /^`[A-Z][A-Z\d_]+`$/.test(cell.content)
  return isNamed ? cell.content.slice(1, -1).toLowerCase() : undefined
}
