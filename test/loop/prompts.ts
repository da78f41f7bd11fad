import type { Plain } from './plain.ts'

/**
 * The requests that a model got, one part per line: what it is asked with, its tools, and its messages. A part has a
 * number, by which later requests name it.
 */
export function promptLines(bodies: Record<string, unknown>[], { line }: Plain): string[] {
  const numbers = new Map<string, number>()
  return bodies.flatMap((body, index) => {
    const lines = [`request ${index + 1}`]
    let known: number[] = []
    const tellKnown = () => {
      if (known.length > 0) lines.push(`  as before: ${known.join(' ')}`)
      known = []
    }
    for (const part of partsOf(body).map(line)) {
      const number = numbers.get(part)
      if (number !== undefined) known.push(number)
      else {
        tellKnown()
        numbers.set(part, numbers.size + 1)
        lines.push(`  ${numbers.size} ${part}`)
      }
    }
    tellKnown()
    return lines
  })
}

function partsOf({ messages = [], tools = [], ...rest }: Record<string, unknown>): unknown[] {
  return [rest, ...(tools as unknown[]), ...(messages as unknown[])]
}
