import { readPages } from './citations.ts'

/** The marks of an unfinished merge, also as the formatter writes them. Code with them does not compile. */
const mark = /^(?:<{7}|>{7}|(?:> ){4})/m

export const checkMergeMarks = (pages: { path: string; text: string }[] = readPages()) =>
  pages
    .filter(({ text }) => mark.test(text))
    .map(({ path }) => ({ path, problem: 'has the mark of an unfinished merge; finish it' }))
