import test from 'ava'
import { checkMergeMarks } from './merge-marks.ts'

const found = (text: string): number => checkMergeMarks([{ path: 'docs/page.md', text }]).length

test('a page with the mark of an unfinished merge is found, and one with a quotation is not', (t) => {
  for (const text of ['A\n<<<<<<< HEAD\n', 'A\n>>>>>>> other\n', 'A\n\n> > > > > > > other\n'])
    t.is(found(text), 1, text)
  for (const text of ['> A quotation.\n', 'Use `<<`.\n', '| a |\n| - |\n']) t.is(found(text), 0, text)
})
