/** Words of an unfinished model answer, as watchers get them. Not on record. */
export interface WordsEvent {
  kind: 'words'
  data: { step: number; attempt: number; offset: number; text: string }
}

/** How much of an attempt's answer a watcher has. */
export interface WatcherPosition {
  step: number
  attempt: number
  offset: number
}

/** The attempt in progress, and its words written since the last poll. */
export interface NewWords {
  step: number
  /** 0 if no attempt is in progress. */
  attempt: number
  positions: number[]
  words: string[]
}

/** The answer of a run's attempt in progress, shared by all its watchers in this process. */
export interface PartialAnswer {
  step: number
  attempt: number
  text: string
  /** The number of the run's last event when the words were read. They belong after it and before the next one. */
  head: number
  /** Pages by offset, shared by watchers at the same position. */
  pages: Map<number, readonly WordsEvent[]>
}

export const emptyAnswer = (): PartialAnswer => ({ step: 0, attempt: 0, text: '', head: 0, pages: new Map() })

/** The position of a new watcher. */
export const startPosition: WatcherPosition = { step: 0, attempt: 0, offset: 0 }

/** Appends new words; returns whether there were any. Ignores words after a gap: Postgres lost the part before them. */
export function addWords(answer: PartialAnswer, { step, attempt, positions, words }: NewWords, head: number): boolean {
  const isAnother = answer.step !== step || answer.attempt !== attempt
  const before = isAnother ? '' : answer.text
  let text = before
  for (const [index, position] of positions.entries()) if (position === text.length) text += words[index] ?? ''
  const hasMore = text.length > before.length
  Object.assign(answer, { step, attempt, text, head })
  if (isAnother || hasMore) answer.pages.clear()
  return hasMore
}

/** The words that a watcher lacks, if they belong after the event with this number. */
export function wordsAfter(answer: PartialAnswer, { step, attempt, offset }: WatcherPosition, head: number) {
  if (answer.head !== head) return undefined
  const from = step === answer.step && attempt === answer.attempt ? offset : 0
  if (from >= answer.text.length) return undefined
  const page = answer.pages.get(from) ?? [wordsFrom(answer, from)]
  answer.pages.set(from, page)
  return {
    page,
    position: { step: answer.step, attempt: answer.attempt, offset: answer.text.length } satisfies WatcherPosition,
  }
}

const wordsFrom = ({ step, attempt, text }: PartialAnswer, offset: number): WordsEvent => ({
  kind: 'words',
  data: { step, attempt, offset, text: text.slice(offset) },
})
