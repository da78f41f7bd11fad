/** A Markdown table. Its columns are not aligned, because the formatter skips generated pages. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(inCell).join(' | ')} |`
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n')
}

const inCell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll(/\s*\n\s*/g, ' ')

/** Joins blocks of Markdown into a page. */
export const pageOf = (...blocks: readonly string[]): string => `${blocks.join('\n\n')}\n`

/** Ends a text with a period. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
