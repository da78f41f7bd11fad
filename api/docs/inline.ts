import MarkdownIt from 'markdown-it'

/** API descriptions are Markdown with links to other sites at most. HTML is shown as text. */
const markdown = new MarkdownIt({ html: false })

export const inline = (text: string): string => markdown.renderInline(text)

export const block = (text: string): string => markdown.render(text)
