import MarkdownIt from 'markdown-it'
import type { Options, Renderer, Token } from 'markdown-it'
import { createAnchors } from './anchors.ts'
import { escape } from './escape.ts'
import { destinationOf } from './places.ts'
import { readSections, textOf, type Section } from './sections.ts'

export interface Heading {
  level: number
  text: string
  anchor: string
}

/** A page of the guide. */
export interface Page {
  /** Its path in docs/. */
  file: string
  title: string
  html: string
  headings: Heading[]
  /** The addresses on this site that it links to. */
  links: string[]
  /** All anchors in it. */
  anchors: string[]
  sections: Section[]
}

/** What the page is about while it is rendered. */
interface Environment {
  file: string
  links: string[]
}

/**
 * markdown-it, because it follows CommonMark, knows the tables of code hosts, and gives its tokens before any HTML:
 * headings, links and sections are read from them. HTML in a page is shown as text.
 */
const markdown = new MarkdownIt({ html: false })

const { rules } = markdown.renderer
const asUsual = (tokens: Token[], index: number, options: Options, _env: unknown, self: Renderer): string =>
  self.renderToken(tokens, index, options)

/** A link to what only the repository has becomes its text, because nothing on this site shows it. */
rules['link_open'] = (tokens, index, options, env: Environment, self) => {
  const token = tokens[index]!
  const to = destinationOf(String(token.attrGet('href')), env.file)
  if ('inRepository' in to) return `<span class="in-repository" title="${escape(to.inRepository)}">`
  token.attrSet('href', to.href)
  if (!to.isElsewhere) env.links.push(to.href)
  return asUsual(tokens, index, options, env, self)
}

rules['link_close'] = (tokens, index, options, env: Environment, self) => {
  const opening = openingOf(tokens, index)
  const leads = opening !== undefined && !('inRepository' in destinationOf(String(opening.attrGet('href')), env.file))
  return leads ? asUsual(tokens, index, options, env, self) : '</span>'
}

/** Links do not contain links, so the last one that was opened is the one that ends here. */
const openingOf = (tokens: Token[], index: number): Token | undefined =>
  tokens.slice(0, index).findLast(({ type }) => type === 'link_open')

/** Wide tables scroll by themselves, so that the page does not. The keyboard must reach what scrolls. */
rules['table_open'] = (...given) => `<div class="table" role="region" aria-label="Table" tabindex="0">${asUsual(...given)}`
rules['table_close'] = (...given) => `${asUsual(...given)}</div>`

rules['fence'] = (tokens, index) => {
  const { content, info } = tokens[index]!
  const language = /^[\w+-]*/.exec(info)?.[0] ?? ''
  const name = language === '' ? '' : ` data-language="${language}"`
  return `<div class="code"${name}><pre tabindex="0"><code>${escape(content)}</code></pre></div>\n`
}

/** Renders the text of a file of docs/. */
export function renderPage(file: string, text: string): Page {
  const env: Environment = { file, links: [] }
  const tokens = markdown.parse(text, env)
  const headings = nameHeadings(tokens)
  const rows = nameRows(tokens, file)
  // The sections are read first: rendering rewrites the links.
  const sections = readSections(tokens, headings)
  const html = markdown.renderer.render(tokens, markdown.options, env)
  const title = headings.find(({ level }) => level === 1)?.text ?? file
  return { file, title, html, headings, links: env.links, anchors: [...headings.map(({ anchor }) => anchor), ...rows], sections }
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

/** Rows about a code or a setting get its name as an anchor, so that the search can lead to them. */
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

/** The first cell, if it is a name in capitals: `NO_CREDITS` is `no_credits`. */
export function nameOfRow(tokens: Token[], index: number): string | undefined {
  const cell = tokens[index + 2]
  const isNamed = cell?.type === 'inline' && /^`[A-Z][A-Z\d_]+`$/.test(cell.content)
  return isNamed ? cell.content.slice(1, -1).toLowerCase() : undefined
}
