import { RE2JS } from 're2js'

/** An untrusted regular expression, matched in time linear in the text (RE2). */
export interface LinearPattern {
  /** Instructions of the compiled program: the maximum cost per character of text. */
  size: number
  test: (text: string) => boolean
}

const maxLength = 500
const maxSize = 2_000

/**
 * Compiles the pattern of a schema (ECMA-262 notation, not anchored), or returns the problem. The limits keep
 * compilation under a fifth of a second: `a{1000}` alone makes a thousand instructions.
 */
export function compilePattern(source: string): LinearPattern | { problem: string } {
  if (source.length > maxLength) return { problem: `must be a pattern of at most ${maxLength} characters` }
  const program = compile(source)
  if (program === undefined) {
    return {
      problem: 'must be a regular expression without lookaround, backreferences or repetition counts over 1,000',
    }
  }
  const size = program.programSize()
  if (size > maxSize) return { problem: 'is too large a pattern (use maxLength instead of large repetition counts)' }
  return { size, test: (text) => program.test(text) }
}

function compile(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source))
  } catch {
    // All of the library's exceptions mean that RE2 cannot run the pattern.
    return undefined
  }
}
