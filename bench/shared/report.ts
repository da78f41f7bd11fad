import { loadavg } from 'node:os'

// A benchmark that another program has started ends with it, and then its warden ends its servers.
process.once('disconnect', () => process.exit(1))
process.channel?.unref()

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

/** Prints the report with the load of the machine, and hands it to the program that runs all benchmarks, if that is the parent. */
export function publish(found: Report): void {
  const notes = [...found.notes, `Load average at the end: ${loadavg()[0]?.toFixed(1)}`]
  const report = { ...found, notes }
  console.log(`\n${markdownOf(report)}`)
  process.send?.(report)
}

export function markdownOf({ title, text, columns, rows, notes }: Report): string {
  const list = notes.map((note) => wrapped(`- ${note}`, '  ')).join('\n')
  const paragraphs = text.map((one) => wrapped(one))
  return [`## ${title}`, ...paragraphs, table([columns, ...rows]), list].filter((part) => part !== '').join('\n\n')
}

/** The text in lines of at most 120 characters, as the other pages have. */
function wrapped(text: string, indent = ''): string {
  const lines = ['']
  for (const word of text.split(' ')) {
    const longer = `${lines.at(-1)} ${word}`.trimStart()
    if (longer.length <= 120 - indent.length) lines[lines.length - 1] = longer
    else lines.push(word)
  }
  return lines.join(`\n${indent}`)
}

function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const line = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [head = [], ...others] = rows
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)].join('\n')
}
