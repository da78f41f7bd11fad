import { isObject } from '../../../json.ts'

/**
 * The result of a tool as the one JSON object that models see: its structured form if it has one, or its content. A
 * result that is nested too deeply to be written is no JSON.
 */
export function resultText({ structuredContent, content }: Record<string, unknown>): string {
  try {
    return JSON.stringify(
      isObject(structuredContent) ? structuredContent : { content: blocksIn(content).map(withoutData) },
    )
  } catch (error) {
    if (error instanceof RangeError) return 'too deep'
    throw error
  }
}

/** The words of a result, for a tool that reports an error. */
export const wordsOf = ({ content }: Record<string, unknown>): string =>
  blocksIn(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .filter(Boolean)
    .join('\n')

const blocksIn = (content: unknown): Record<string, unknown>[] =>
  Array.isArray(content) ? (content as unknown[]).filter(isObject) : []

/** Pictures and sounds are said to be there, because models get results as text. */
function withoutData(block: Record<string, unknown>): Record<string, unknown> {
  const { data, resource, ...rest } = block
  if (typeof data === 'string') return { ...rest, omittedCharacters: data.length }
  if (!isObject(resource)) return block
  const { blob, ...described } = resource
  return typeof blob === 'string' ? { ...rest, resource: { ...described, omittedCharacters: blob.length } } : block
}
