import { createHash } from 'node:crypto'

/** The longest text that a recording shows in full, and how much of a longer one it shows, in characters. */
const [most, shown] = [900, 400]

const uuid = /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g
/** The mark of a fence is a hash of a text that may contain ids. */
const mark = /(?<=<<<[a-z ]+ )[0-9a-f]{32}(?=>>>)/g
const time = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| UTC)/g
const duration = /(?<="(?:latencyMs|ms)":|Try again in )\d+(?:\.\d+)?/g

/**
 * Makes texts of one recording comparable. An id becomes a number by its first appearance, a time becomes `time`, a
 * duration becomes 0, and a name that differs from test to test becomes the given one.
 */
export function createPlain(names: [found: string, shown: string][]) {
  const seen = new Map<string, string>()
  const numbered = (kind: string) => (found: string) => {
    const count = [...seen.values()].filter((name) => name.startsWith(kind)).length
    const name = seen.get(found) ?? `${kind}-${count + 1}`
    seen.set(found, name)
    return name
  }

  function plain(text: string): string {
    let read = text.replaceAll(uuid, numbered('id')).replaceAll(mark, numbered('mark'))
    for (const [found, shown] of names) read = read.replaceAll(found, shown)
    return read.replaceAll(time, 'time').replaceAll(duration, '0')
  }

  return {
    plain,
    /** A value as JSON on one line, whose long texts are cut. */
    line: (value: unknown): string =>
      JSON.stringify(JSON.parse(plain(JSON.stringify(value))), (_key, part: unknown) =>
        typeof part === 'string' ? cut(part) : part,
      ),
  }
}

export type Plain = ReturnType<typeof createPlain>

function cut(text: string): string {
  if (text.length <= most) return text
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return `${text.slice(0, shown)} … ${text.length} characters, sha256 ${hash}`
}
