export type Cell = string | number | null

/** Rows as CSV (RFC 4180). A number stays one; a text is never a formula for whoever opens the file. */
export const toCsv = (rows: readonly (readonly Cell[])[]): string =>
  rows.map((row) => `${row.map(written).join(',')}\r\n`).join('')

function written(cell: Cell): string {
  if (cell === null) return ''
  if (typeof cell === 'number') return String(cell)
  const text = isFormula.test(cell) ? `'${cell}` : cell
  return isPlain.test(text) ? text : `"${text.replaceAll('"', '""')}"`
}

/** Spreadsheet programs calculate texts that begin so, also in quotes, and behind spaces; an apostrophe prevents that. */
const isFormula = /^\s*[=+\-@\t\r\n|%＝＋－＠]/

const isPlain = /^[^",\r\n;\t]*$/
