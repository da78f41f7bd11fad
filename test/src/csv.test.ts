import test from 'ava'
import { toCsv, type Cell } from '../../src/csv.ts'

const cells: [Cell, string][] = [
  ['Triage', 'Triage'],
  ['a, b', '"a, b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\r\nlines', '"two\r\nlines"'],
  ['=1+1', "'=1+1"],
  ['=HYPERLINK("https://example.com","x")', `"'=HYPERLINK(""https://example.com"",""x"")"`],
  ['+49 1', "'+49 1"],
  ['-2', "'-2"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', `"'\t=1"`],
  ['  =1', "'  =1"],
  ['＝1', "'＝1"],
  [-2, '-2'],
  [null, ''],
  ['', ''],
]
for (const [cell, written] of cells)
  test(`${JSON.stringify(cell)} is written so that a spreadsheet shows it and calculates nothing`, (t) => {
    t.is(toCsv([[cell, 'x']]), `${written},x\r\n`)
  })
