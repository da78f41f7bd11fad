export type Cell = string | number | null

/** Rows as CSV (RFC 4180). Numbers stay numbers; spreadsheets never run a text as a formula. */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(written).join(',')}\r\n`).join('')

function written(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = isFormula.test(cell) ? `'${cell}` : cell
  return isPlain.test(text) ? text : `"${text.replaceAll('"', '""')}"`
}

/** Spreadsheets evaluate texts with these beginnings, even in quotes and behind spaces. An apostrophe prevents that. */
const isFormula = /^\s*[=+\-@\t\r\n|%＝＋－＠]/

const isPlain = /^[^",\r\n;\t]*$/
