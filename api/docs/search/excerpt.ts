import { escape } from '../escape.ts'
import { termOf, tokensIn, wordsIn, type Word } from './terms.ts'

/** The length of an excerpt in characters, and how much of it precedes the first match. */
const length = 220
const before = 60

/** The text around the matches as HTML, with the matches marked. */
export function excerptOf(text: string, terms: ReadonlySet<string>): string {
  const first = wordsIn(text).find((word) => isFound(word, terms))
  const from = first === undefined ? 0 : wordStart(text, Math.max(0, first.at - before))
  const to = wordEnd(text, Math.min(text.length, from + length))
  const piece = marked(text.slice(from, to).trim(), terms)
  return `${from > 0 ? '… ' : ''}${piece}${to < text.length ? ' …' : ''}`
}

/** A text as HTML with the matches marked. Every piece of it is escaped. */
export function marked(text: string, terms: ReadonlySet<string>): string {
  let html = ''
  let done = 0
  for (const word of wordsIn(text).filter((one) => isFound(one, terms))) {
    html += `${escape(text.slice(done, word.at))}<mark>${escape(word.text)}</mark>`
    done = word.at + word.text.length
  }
  return html + escape(text.slice(done))
}

const isFound = ({ text }: Word, terms: ReadonlySet<string>): boolean =>
  tokensIn(text).some((token) => terms.has(termOf(token) ?? ''))

/** The start of the word at this position, or of the next one, so that no word is cut. */
function wordStart(text: string, at: number): number {
  if (at === 0) return 0
  const space = text.indexOf(' ', at)
  return space === -1 ? at : space + 1
}

function wordEnd(text: string, at: number): number {
  if (at === text.length) return at
  const space = text.lastIndexOf(' ', at)
  return space === -1 ? at : space
}
