/** Words of a model that has not finished its answer, as watchers get them: passing, and not on record. */
export interface WordsEvent {
  kind: 'words'
  data: { step: number; attempt: number; offset: number; text: string }
}

/** How far a watcher is in the words of an attempt. */
export interface Place {
  step: number
  attempt: number
  offset: number
}

/** The attempt in progress as the record has it, and the words that were written of it since the last look. */
export interface Overheard {
  step: number
  /** 0 if no attempt is in progress. */
  attempt: number
  positions: number[]
  words: string[]
}

/** The words of a run's attempt in progress, for all of its watchers in this process. */
export interface Heard {
  step: number
  attempt: number
  text: string
  /** The number of the run's last event when they were heard: they follow it, and come before the next one. */
  head: number
  /** What watchers get who are at the same place. */
  pages: Map<number, readonly WordsEvent[]>
}

export const nothingHeard = (): Heard => ({ step: 0, attempt: 0, text: '', head: 0, pages: new Map() })

/** The place of a watcher who has come. */
export const atBeginning: Place = { step: 0, attempt: 0, offset: 0 }

/** Takes in what was overheard, and returns whether there are new words. A gap is never closed: Postgres lost a part. */
export function hear(heard: Heard, { step, attempt, positions, words }: Overheard, head: number): boolean {
  const isAnother = heard.step !== step || heard.attempt !== attempt
  const before = isAnother ? '' : heard.text
  let text = before
  for (const [index, position] of positions.entries()) if (position === text.length) text += words[index] ?? ''
  const hasMore = text.length > before.length
  Object.assign(heard, { step, attempt, text, head })
  if (isAnother || hasMore) heard.pages.clear()
  return hasMore
}

/** What a watcher has not had yet of the attempt in progress, if its words follow the event with this number. */
export function wordsFor(heard: Heard, { step, attempt, offset }: Place, head: number) {
  if (heard.head !== head) return undefined
  const from = step === heard.step && attempt === heard.attempt ? offset : 0
  if (from >= heard.text.length) return undefined
  const page = heard.pages.get(from) ?? [wordsFrom(heard, from)]
  heard.pages.set(from, page)
  return { page, place: { step: heard.step, attempt: heard.attempt, offset: heard.text.length } satisfies Place }
}

const wordsFrom = ({ step, attempt, text }: Heard, offset: number): WordsEvent => ({
  kind: 'words',
  data: { step, attempt, offset, text: text.slice(offset) },
})
