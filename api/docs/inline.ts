import MarkdownIt from 'markdown-it'

/** API descriptions are Markdown with links to other sites at most. HTML is shown as text. */
const markdown = new MarkdownIt({ html: false })

/** One line of Markdown as HTML. */
export const inline = (text: string): string => markdown.renderInline(text)

/** Paragraphs and lists of Markdown as HTML. */
export const block = (text: string): string => markdown.render(text)
