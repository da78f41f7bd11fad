/** What a benchmark found, as a part of the page of figures. */
export interface Report {
  title: string
  /** What was measured and how, in sentences. */
  text: string[]
  columns: string[]
  rows: string[][]
  /** Sentences below the table. */
  notes: string[]
}

/** Prints the report, and hands it to the program that runs all benchmarks, if that is the parent. */
export function publish(report: Report): void {
  console.log(`\n${markdownOf(report)}`)
  process.send?.(report)
}

export function markdownOf({ title, text, columns, rows, notes }: Report): string {
  const list = notes.map((note) => `- ${note}`).join('\n')
  return [`## ${title}`, ...text, table([columns, ...rows]), list].filter((part) => part !== '').join('\n\n')
}

function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...others] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n')
}
