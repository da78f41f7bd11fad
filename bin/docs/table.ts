/** A table in Markdown. The formatter leaves generated pages alone, so the columns are not aligned. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(inCell).join(' | ')} |`
  return [line(heads), `|${'---|'.repeat(heads.length)}`, ...rows.map(line)].join('\n')
}

const inCell = (text: string): string => text.replaceAll('|', String.raw`\|`).replaceAll(/\s*\n\s*/g, ' ')

/** Blocks of Markdown as a page. */
export const pageOf = (...blocks: readonly string[]): string => `${blocks.join('\n\n')}\n`

/** A text as a sentence. */
export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
