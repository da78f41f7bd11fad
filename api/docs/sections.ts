import type { Token } from 'markdown-it'

/** A searchable part of a page: the text under a heading, or a row about a code or a setting. */
export interface Section {
  /** The heading, or the name that the row is about. */
  title: string
  anchor: string
  text: string
  /** Its code blocks, which are searched but not shown. */
  code: string
  kind: 'page' | 'section' | 'row'
}

interface Named {
  level: number
  text: string
  anchor: string
}

/** Reads the sections of a page from its tokens. The headings must have their anchors already. */
export function readSections(tokens: Token[], headings: readonly Named[]): Section[] {
  const sections: Section[] = []
  let next = 0
  let row: Section | undefined
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') sections.push(sectionOf(headings[next++]))
    else if (token.type === 'tr_open') row = rowOf(token, tokens[index + 2])
    else if (token.type === 'tr_close' && row) {
      sections.splice(-1, 0, row)
      row = undefined
    } else append(row ?? sections.at(-1), token, tokens[index - 1])
  }
  return sections
}

const sectionOf = ({ level, text: title, anchor }: Named = { level: 1, text: '', anchor: '' }): Section => ({
  title,
  anchor: level === 1 ? '' : anchor,
  text: '',
  code: '',
  kind: level === 1 ? 'page' : 'section',
})

/** Rows with an anchor are sections of their own; other rows belong to their section. */
function rowOf(token: Token, cell: Token | undefined): Section | undefined {
  const anchor = token.attrGet('id')
  return anchor === null ? undefined : { title: textOf(cell), anchor: String(anchor), text: '', code: '', kind: 'row' }
}

function append(section: Section | undefined, token: Token, before: Token | undefined): void {
  if (!section || before?.type === 'heading_open') return
  if (token.type === 'fence') section.code += ` ${token.content}`
  if (token.type !== 'inline') return
  // The last cell of a row explains the name.
  section.text = section.kind === 'row' ? textOf(token) : `${section.text} ${textOf(token)}`.trim()
}

/** The text of a line without markup. */
export const textOf = (token: Token | undefined): string =>
  (token?.children ?? [])
    .map((child) => (isBreak(child) ? ' ' : child.type === 'text' || child.type === 'code_inline' ? child.content : ''))
    .join('')

const isBreak = ({ type }: Token): boolean => type === 'softbreak' || type === 'hardbreak'
