import type { RawAnswer, OnWords } from './collect.ts'

/**
 * Takes a model's thoughts out of its words, as they come. They stand between `<tag>` and `</tag>`; where the server's
 * template opens the tag, only `</tag>` comes. So words are held back until it is clear how an answer begins: until its
 * first tag, or its end.
 */
export function createWithoutThoughts(tag: string) {
  const [opening, closing] = [`<${tag}>`, `</${tag}>`]
  let state: 'beginning' | 'thinking' | 'speaking' = 'beginning'
  /** What came before `held` while it is open whether these are words. */
  let before: string[] = []
  let held = ''
  let hasSpoken = false

  /** Reads up to the next tag, and returns the words before it; undefined if there is no tag yet. */
  function next(): string | undefined {
    const open = state === 'thinking' ? -1 : held.indexOf(opening)
    const close = state === 'speaking' ? -1 : held.indexOf(closing)
    const opens = open >= 0 && (close < 0 || open < close)
    if (!opens && close < 0) return undefined
    const said = opens ? before.join('') + held.slice(0, open) : ''
    const words = hasSpoken || said.trim() !== '' ? spoken(said) : ''
    held = held.slice(opens ? open + opening.length : close + closing.length)
    before = []
    state = opens ? 'thinking' : 'speaking'
    return words
  }

  /** Without the empty lines between a thought and the first words. */
  function spoken(text: string): string {
    const words = hasSpoken || state === 'beginning' ? text : text.trimStart()
    hasSpoken ||= words.trim() !== ''
    return words
  }

  /** Keeps back what may be the beginning of a tag. */
  function keepEnd(): string {
    const start = state === 'speaking' ? held.lastIndexOf('<') : Math.max(0, held.length - closing.length + 1)
    const isKept = state !== 'speaking' || (start >= 0 && opening.startsWith(held.slice(start)))
    const text = isKept ? held.slice(0, start) : held
    held = held.slice(text.length)
    return text
  }

  return {
    add(piece: string): string {
      held += piece
      let words = ''
      for (let said = next(); said !== undefined; said = next()) words += said
      const text = keepEnd()
      if (state === 'beginning' && text !== '') before.push(text)
      return state === 'speaking' ? words + spoken(text) : words
    },
    /** The rest. A thought without an end is no words: the answer was cut off in it. */
    end(): string {
      const rest = state === 'thinking' ? '' : before.join('') + held
      before = []
      held = ''
      return spoken(rest)
    },
  }
}

/** The same of words that are passed on; `end` passes on the rest. */
export function wordsWithoutThoughts(tag: string, onWords: OnWords) {
  const filter = createWithoutThoughts(tag)
  const pass = (text: string) => (text === '' ? undefined : onWords(text))
  return { add: (piece: string) => pass(filter.add(piece)), end: async () => pass(filter.end()) }
}

/** The same of a whole answer: of all its texts together, since a server may cut it anywhere. */
export function answerWithoutThoughts(answer: RawAnswer, tag: string): RawAnswer {
  const filter = createWithoutThoughts(tag)
  const last = answer.content.findLastIndex(({ type }) => type === 'text')
  const content = answer.content.map((part, index) => {
    if (part.type !== 'text') return part
    const text = filter.add(part.text)
    return { ...part, text: index === last ? text + filter.end() : text }
  })
  return { ...answer, content: content.filter((part) => part.type !== 'text' || part.text !== '') }
}
