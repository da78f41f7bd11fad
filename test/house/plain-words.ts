import { readPages } from './citations.ts'
import type { SourceFile } from './source.ts'

/** Phrases that readers stumble over, with the words of a native engineer. */
const phrases: [phrase: RegExp, instead: string][] = [
  [/\bwho(?:so)?ever\b|\bwhom\b/i, 'name the person: the sender, the caller, anyone'],
  [/\bthose (?:who|that|which)\b/i, 'give the clause a noun'],
  [/\bwhat (?:is|are) (?:of|no|not|none)\b/i, 'give the clause a noun'],
  [/\b(?:is|are|was|were|be|been|being) told\b|\btell(?:s|ing)? of\b/i, 'say who sends or shows what'],
  [/\b(?:said|known|asked) of\b/i, 'say "about"'],
  [/\bstands? (?:in|between|for|on|there|at)\b/i, 'say "is in", "means" or "replaces"'],
  [/\bby (?:itself|themselves)\b/i, 'say "automatically" or "alone"'],
  [/\bgo(?:es)? on\b/i, 'say "continue" or "resume"'],
  [/\bfor good\b/i, 'say "permanently"'],
  [/\bany more\b/i, 'say "no longer"'],
  [/\bthere (?:is|are|was|were) not\b|\b(?:is|are) not there\b/i, 'say "does not exist" or "is missing"'],
  [/\bthat there (?:is|are) no/i, 'say "unknown" or "does not exist"'],
  [/\bin place of\b/i, 'say "instead of"'],
  [/\bcarr(?:y|ies|ied|ying) (?:it |them )?out\b/i, 'say "run", "make" or "do"'],
  [/\bas (?:many|much|long) as (?:there|it|the)\b/i, 'name the limit or the time'],
  [/, of which\b|\bof whose\b/i, 'split the sentence'],
  [/\bis asked for\b/i, 'say "requests"'],
  [/\bgives? back\b/i, 'say "returns"'],
  [/\bRFC \d+, \d/, 'say "section"'],
  [/\bnull without\b/i, 'say when it is null: "or null if there is no …"'],
  [/; it will be retried/, 'say "will retry"'],
  [/\bholds for\b|\bthe same holds\b/i, 'say "applies to"'],
]

/** The odd phrases of a text, each with its context and the replacement. */
export function oddPhrases(text: string): string[] {
  const line = text.replaceAll(/\s+/g, ' ')
  return phrases.flatMap(([phrase, instead]) => {
    const found = phrase.exec(line)
    return found ? [`says "…${line.slice(Math.max(0, found.index - 30), found.index + 40)}…": ${instead}`] : []
  })
}

const product = /^(src|api|workflows|activities|bin|check-site|conformance)\//

/** The texts of code that models, users and operators read: strings of more than one word. */
const textsIn = ({ code }: SourceFile): string[] =>
  [...code.matchAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g)]
    .map(([text]) => text)
    .filter((text) => text.includes(' '))

/** Checks sentences against the list of odd phrases. */
export const checkPlainWords = (files: SourceFile[]): { path: string; problem: string }[] =>
  [
    ...files.filter(({ path }) => product.test(path)).map((file) => ({ path: file.path, texts: textsIn(file) })),
    ...readPages().map(({ path, text }) => ({ path, texts: text.split(/\n\s*\n/) })),
  ].flatMap(({ path, texts }) => texts.flatMap(oddPhrases).map((problem) => ({ path, problem })))
