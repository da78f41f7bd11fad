import { CORE_SCHEMA, load, mergeTag, YAMLException } from 'js-yaml'
import { parseJson } from '../../../../json.ts'

/** Values of one document: GitHub's, of 12 MB, has a fifth of them. They take 150 MB at worst. */
const maxValues = 1_500_000
/** Values, and lines of texts, of one YAML document. Its parser needs more memory than that of JSON. */
const maxYamlParts = 500_000
/** Places where a YAML document repeats a part by an alias. The parts are shared, so they cost nothing here. */
const maxAliases = 10_000

/** Many documents use the merge keys of YAML 1.1. The library bounds what they copy. */
const schema = CORE_SCHEMA.withTags(mergeTag)

export type Parsed = { value: unknown } | { problem: string }

/**
 * Parses a JSON or YAML text (YAML 1.2 with the core schema, OpenAPI 3.1, 4.2). Parts of the value may be
 * shared, even in circles, so whatever walks it counts its steps.
 */
export function parseDocument(given: string): Parsed {
  const text = given.startsWith('\uFEFF') ? given.slice(1) : given
  return /^\s*[[{]/.test(text) ? parsedJson(text) : parsedYaml(text)
}

function parsedJson(text: string): Parsed {
  const parsed = parseJson(text, { maxValues })
  return parsed.ok ? { value: parsed.value } : { problem: parsed.problem }
}

function parsedYaml(text: string): Parsed {
  if (hasMoreParts(text, maxYamlParts)) return { problem: `It must have at most ${maxYamlParts} values and lines.` }
  try {
    return { value: load(text, { schema, json: true, maxAliases }) }
  } catch (error) {
    // Its documentation says that not only its own errors are to be expected.
    const line = error instanceof YAMLException ? error.mark?.line : undefined
    return { problem: line === undefined ? 'It is not valid YAML.' : `It is not valid YAML in line ${line + 1}.` }
  }
}

/** Whether the text has more characters that begin a line or a value than allowed. */
function hasMoreParts(text: string, most: number): boolean {
  let parts = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    const isPart =
      character === 10 ||
      character === 13 ||
      character === 44 ||
      character === 91 ||
      character === 123 ||
      ((character === 45 || character === 63) && text.charCodeAt(at + 1) === 32)
    if (isPart) parts++
    if (parts > most) return true
  }
  return false
}
