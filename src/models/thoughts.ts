import type { RawAnswer, OnWords } from './collect-answer.ts'

const mostSpace = 20

/**
 * Removes a model's thoughts, between `<tag>` and `</tag>`, from its streamed text. If the server's template opens the
 * tag, only `</tag>` arrives, so text is withheld until the first tag or the end. Text after a nested thought is
 * withheld too, because the outer thought may end later.
 */
export function createWithoutThoughts(tag: string) {
  const rest = String.raw`${tag.replaceAll('.', String.raw`\.`)}\s{0,${mostSpace}}>`
  const [anyTag, openingTag] = [new RegExp(`<(/?)${rest}`, 'i'), new RegExp(`<()${rest}`, 'i')]
  const begun = [`<${tag}`, `</${tag}`].map((text) => text.toLowerCase())
  /** Unclear: words, unless a closing tag follows. */
  let state: 'unclear' | 'thinking' | 'speaking' = 'unclear'
  let depth = 0
  let before: string[] = []
  let held = ''
  let [hasThought, hasSpoken] = [false, false]

  /** Reads up to the next tag and returns the text before it; undefined if there is no tag yet. */
  function next(): string | undefined {
    const found = (state === 'speaking' ? openingTag : anyTag).exec(held)
    if (!found) return undefined
    const text = held.slice(0, found.index)
    held = held.slice(found.index + found[0].length)
    const words = found[1] === '' ? opened(text) : closed()
    hasThought = true
    return words
  }

  function opened(text: string): string {
    const isWithin = depth > 0
    depth += 1
    const chunk = [...before, text].join('')
    before = isWithin && state === 'unclear' ? [chunk] : []
    state = 'thinking'
    return isWithin || (!hasSpoken && chunk.trim() === '') ? '' : visibleText(chunk)
  }

  function closed(): string {
    depth = Math.max(0, depth - 1)
    before = []
    state = depth > 0 ? 'unclear' : 'speaking'
    return ''
  }

  /** Removes empty lines between a thought and the text. */
  function visibleText(text: string): string {
    const words = hasSpoken || !hasThought ? text : text.trimStart()
    hasSpoken ||= words.trim() !== ''
    return words
  }

  /** Withholds a possible beginning of a tag. */
  function keepEnd(): string {
    const start = held.lastIndexOf('<')
    const text = start >= 0 && mayBeTag(held.slice(start)) ? held.slice(0, start) : held
    held = held.slice(text.length)
    return text
  }

  function mayBeTag(end: string): boolean {
    const name = end.trimEnd().toLowerCase()
    return end.length <= name.length + mostSpace && begun.some((text) => text.startsWith(name))
  }

  return {
    add(piece: string): string {
      held += piece
      let words = ''
      for (let chunk = next(); chunk !== undefined; chunk = next()) words += chunk
      const text = keepEnd()
      if (state === 'unclear' && text !== '') before.push(text)
      return state === 'speaking' ? words + visibleText(text) : words
    },
    /** The remaining text. A thought without an end is dropped, because the answer was cut off inside it. */
    end(): string {
      const text = state === 'thinking' ? '' : [...before, held].join('')
      before = []
      held = ''
      return visibleText(text)
    },
  }
}

/** Removes thoughts from text before it is passed on. `end` passes on the rest. */
export function wordsWithoutThoughts(tag: string, onWords: OnWords) {
  const filter = createWithoutThoughts(tag)
  const pass = (text: string) => (text === '' ? undefined : onWords(text))
  return { add: (piece: string) => pass(filter.add(piece)), end: async () => pass(filter.end()) }
}

/** Removes thoughts from a whole answer, across all its texts, because a server may split it anywhere. */
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
