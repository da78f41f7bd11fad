const fence = '```'

/** The trimmed answer, without the fence that many models put around JSON: ``` or ```json. */
export function withoutFence(answer: string): string {
  const text = answer.trim()
  const isFenced = text.length >= 2 * fence.length && text.startsWith(fence) && text.endsWith(fence)
  if (!isFenced) return text
  // JSON never begins with these letters, so nothing is lost.
  return text.slice(fence.length, -fence.length).replace(/^json/i, '').trim()
}

/** ECMA-262's JSON.parse source text access, which TypeScript's libraries lack so far. */
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON: (text: string) => unknown
  isRawJSON: (value: unknown) => value is { rawJSON: string }
}

/** Parses JSON into a value whose numbers are objects that JSON.stringify writes unchanged. */
export const readExactly = (text: string, change: (value: unknown) => unknown = (value) => value): unknown =>
  JSON.parse(text, (_name, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined ? rawJSON(source) : change(value),
  ) as unknown

/** The number of such an object. Other values stay unchanged. */
export const plainNumber = (value: unknown): unknown => (isRawJSON(value) ? Number(value.rawJSON) : value)

/**
 * The JSON text without whitespace, with every number as written, however long. The last of duplicate members wins,
 * because that one was checked; other readers may take the first. The text must be valid JSON.
 *
 * @param change is called for every object and list, from the inside outwards
 */
export const exactJson = (text: string, change?: (value: unknown) => unknown): string =>
  JSON.stringify(readExactly(text, change))

/** As `exactJson`, with null for numbers that most parsers reject, such as 1e999. */
export const readableJson = (text: string): string =>
  JSON.stringify(
    JSON.parse(text, (_name, value: unknown, { source }: { source?: string } = {}) =>
      Number.isFinite(value) && source !== undefined ? rawJSON(source) : value,
    ),
  )
