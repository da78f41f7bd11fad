import { format as formats } from '@cfworker/json-schema'
import { CodedError } from '../../errors.ts'
import { compilePattern, type LinearPattern } from './linear-patterns.ts'

/** Formats that are asserted; the validator's other checkers compile or backtrack over untrusted input. */
const assertedFormats = new Set(['date', 'time', 'date-time', 'duration', 'email', 'ipv4', 'ipv6', 'uuid', 'uri'])
/** Longer texts are not checked for a format: its checker runs on the native engine. */
const maxFormattedLength = 2_048
/** Characters times instructions that the patterns of one validation may cost: about a second at worst. */
const maxSteps = 10_000_000

interface TextRule {
  message: string
  test: (text: string) => boolean
}

/**
 * The patterns and formats of one schema for one validation. The validator would run an untrusted `pattern` on the
 * native engine, which backtracks. Only its table of formats can call our functions with a text, so each pattern is
 * registered there under its own name during one synchronous validation.
 */
export function createTextRules() {
  const rules = new Map<string, TextRule>()
  let steps = 0
  const add = (rule: TextRule): string => {
    const name = `text-rule:${rules.size}`
    rules.set(name, rule)
    return name
  }
  const costed =
    ({ test, size }: LinearPattern) =>
    (text: string): boolean => {
      steps += text.length * size
      return steps > maxSteps || test(text)
    }
  return {
    /** The names of the rules, for the keyword `format`, that replace a schema's pattern and format. */
    names(pattern: unknown, format: unknown): string[] {
      const made: string[] = []
      if (typeof pattern === 'string') {
        made.push(add({ message: `must match the pattern ${pattern}`, test: costed(compiled(pattern)) }))
      }
      const check = typeof format === 'string' && assertedFormats.has(format) ? formats[format] : undefined
      if (check) {
        const test = (text: string) => text.length > maxFormattedLength || check(text)
        made.push(add({ message: `must have the format ${String(format)}`, test }))
      }
      return made
    },
    /** Runs the check with the rules in the validator's table, and always removes them again. */
    during<T>(check: () => T): T {
      for (const [name, { test }] of rules) formats[name] = test
      try {
        return check()
      } finally {
        for (const name of rules.keys()) delete formats[name]
      }
    },
    /** The message of a rule that the validator names in an error. */
    message: (error: string): string | undefined => rules.get(/"(text-rule:\d+)"/.exec(error)?.[1] ?? '')?.message,
    /** Whether the patterns exceeded their limit; results after that are invalid. */
    isExhausted: (): boolean => steps > maxSteps,
    /** The property names that a pattern of `patternProperties` matches. */
    matching: (pattern: string, names: Iterable<string>): string[] => [...names].filter(costed(compiled(pattern))),
  }
}

export type TextRules = ReturnType<typeof createTextRules>

/** Compiles a pattern that was checked when the manifest was parsed. */
function compiled(source: string): LinearPattern {
  const pattern = compilePattern(source)
  if (!('problem' in pattern)) return pattern
  throw new CodedError('MANIFEST_INVALID', { message: "The tool's input schema contains an invalid pattern." })
}
