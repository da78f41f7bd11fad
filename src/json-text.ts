/** Represents a text while the rest is written. It never leaves this process, so no stranger can write it. */
const mark = `json text ${crypto.randomUUID()}`

let texts: string[] | undefined

/**
 * Valid JSON that becomes part of an answer unchanged. Parsing a stranger's megabyte only to write it again blocks the
 * event loop, and loses long numbers and repeated members.
 */
export class JsonText {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toJSON(): unknown {
    if (!texts) return JSON.parse(this.#text)
    texts.push(this.#text)
    return mark
  }
}

/** Like `JSON.stringify`, with every JsonText inserted unchanged. The result has no line breaks. */
export function writeJson(value: unknown): string {
  texts = []
  try {
    const written = JSON.stringify(value)
    return texts.length === 0 ? written : withTexts(written, texts)
  } finally {
    texts = undefined
  }
}

const withTexts = (written: string, inside: string[]): string =>
  written
    .split(JSON.stringify(mark))
    .map((part, index) => part + onOneLine(inside[index] ?? ''))
    .join('')

/** Between JSON tokens a space is equivalent to a line break, and tokens contain none (RFC 8259, 2). */
const onOneLine = (text: string): string => (/[\r\n]/.test(text) ? text.replaceAll(/[\r\n]+/g, ' ') : text)
