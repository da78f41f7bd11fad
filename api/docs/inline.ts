import MarkdownIt from 'markdown-it'
import { textOf } from './sections.ts'

/** API descriptions are Markdown with links to other sites at most. HTML is shown as text. */
const markdown = new MarkdownIt({ html: false })

export const inline = (text: string): string => markdown.renderInline(text)

/** The words of Markdown, without its marks. */
export const plain = (text: string): string =>
  markdown
    .parse(text, {})
    .filter(({ type }) => type === 'inline')
    .map(textOf)
    .join(' ')

/** Paragraphs and lists of Markdown as HTML. */
export const block = (text: string): string => markdown.render(text)
