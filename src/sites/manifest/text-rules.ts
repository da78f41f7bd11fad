import { format as formats } from '@cfworker/json-schema'
import { CodedError } from '../../errors.ts'
import { compilePattern, type LinearPattern } from './linear-patterns.ts'

/** Formats that are asserted; the validator's other checkers compile or backtrack over what strangers send. */
const assertedFormats = new Set(['date', 'time', 'date-time', 'duration', 'email', 'ipv4', 'ipv6', 'uuid', 'uri'])
/** Longer texts are not held against a format: its checker runs on the native engine. */
const longestFormatted = 2_048
/** Characters times instructions that the patterns of one check may cost: about a second at the very worst. */
const mostSteps = 10_000_000

interface TextRule {
  message: string
  test: (text: string) => boolean
}

/**
 * The patterns and formats of one schema for one check. The validator would run a stranger's `pattern` on the native
 * engine, which backtracks; its table of formats is the one place where it calls a function of ours with a text, so
 * each pattern is entered there under a name of its own, for the length of one synchronous check.
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
      return steps > mostSteps || test(text)
    }
  return {
    /** Names of the rules, for the keyword `format`, that stand for a schema's pattern and format. */
    names(pattern: unknown, format: unknown): string[] {
      const made: string[] = []
      if (typeof pattern === 'string') {
        made.push(add({ message: `must match the pattern ${pattern}`, test: costed(compiled(pattern)) }))
      }
      const check = typeof format === 'string' && assertedFormats.has(format) ? formats[format] : undefined
      if (check) {
        const test = (text: string) => text.length > longestFormatted || check(text)
        made.push(add({ message: `must be of the format ${String(format)}`, test }))
      }
      return made
    },
    /** Runs the check with the rules in the validator's table, and takes them out whatever happens. */
    during<T>(check: () => T): T {
      for (const [name, { test }] of rules) formats[name] = test
      try {
        return check()
      } finally {
        for (const name of rules.keys()) delete formats[name]
      }
    },
    /** The sentence about a rule that the validator names in an error. */
    message: (error: string): string | undefined => rules.get(/"(text-rule:\d+)"/.exec(error)?.[1] ?? '')?.message,
    /** Whether the patterns cost more than they may; the answers after that moment are worth nothing. */
    isExhausted: (): boolean => steps > mostSteps,
    /** Which property names a pattern of `patternProperties` means. */
    matching: (pattern: string, names: Iterable<string>): string[] => [...names].filter(costed(compiled(pattern))),
  }
}

export type TextRules = ReturnType<typeof createTextRules>

/** Compiles a pattern that was checked when the manifest was read. */
function compiled(source: string): LinearPattern {
  const pattern = compilePattern(source)
  if (!('problem' in pattern)) return pattern
  throw new CodedError('MANIFEST_INVALID', { message: 'The input schema of the tool contains an unusable pattern.' })
}
