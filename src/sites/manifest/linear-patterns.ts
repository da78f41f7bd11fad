import { RE2JS } from 're2js'

/** A stranger's regular expression, matched in time linear in the text (RE2), whatever its author intended. */
export interface LinearPattern {
  /** Instructions of the compiled program: what one character of text costs at most. */
  size: number
  test: (text: string) => boolean
}

const maxLength = 500
const maxSize = 2_000

/**
 * Compiles the pattern of a schema (ECMA-262 notation, not anchored), or answers with what is wrong about it.
 * The limits keep compiling under a tenth of a second: `a{1000}` alone makes a thousand instructions.
 */
export function compilePattern(source: string): LinearPattern | { problem: string } {
  if (source.length > maxLength) return { problem: `must be a pattern of at most ${maxLength} characters` }
  const program = compile(source)
  if (program === undefined) {
    return { problem: 'must be a regular expression without look-around, back references and repeats over 1,000' }
  }
  const size = program.programSize()
  if (size > maxSize) return { problem: 'is too large a pattern; use maxLength instead of large repeats' }
  return { size, test: (text) => program.test(text) }
}

function compile(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source))
  } catch {
    // The library's own exceptions, all of which mean that RE2 cannot run the pattern.
    return undefined
  }
}
