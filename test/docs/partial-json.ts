import { isDeepStrictEqual } from 'node:util'

/**
 * The first place where an answer differs from JSON as a page shows it: "…" stands for any text in a string, and for
 * whatever a list or an object has besides. Members that are not shown are not looked at. Undefined if there is none.
 */
export const differenceFrom = (answer: unknown, shown: string): string | undefined =>
  difference(parseShown(shown), answer, 'the answer')

/** A bare "…" marks what was left out, after the last item or member, or before the first. */
function parseShown(shown: string): unknown {
  const whole = shown
    .replaceAll(/("(?:[^"\\]|\\.)*")|,\s*…\s*(?=[}\]])/g, (_, text: string | undefined) => text ?? '')
    .replaceAll(/("(?:[^"\\]|\\.)*")|…\s*,?/g, (_, text: string | undefined) => text ?? '')
  return JSON.parse(whole)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function difference(shown: unknown, found: unknown, place: string): string | undefined {
  if (Array.isArray(shown) && Array.isArray(found))
    return firstOf(shown.map((item, index) => difference(item, found[index], `${place}[${index}]`)))
  if (isObject(shown) && isObject(found))
    return firstOf(Object.entries(shown).map(([name, value]) => difference(value, found[name], `${place}.${name}`)))
  const same =
    typeof shown === 'string' && typeof found === 'string' ? fits(shown, found) : isDeepStrictEqual(shown, found)
  return same ? undefined : `${place} is ${JSON.stringify(found)}, and shown as ${JSON.stringify(shown)}`
}

const firstOf = (differences: (string | undefined)[]): string | undefined =>
  differences.find((one) => one !== undefined)

/** Ids and ports differ from one installation to the next. */
function fits(shown: string, found: string): boolean {
  const pattern = shown
    .replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\b01[0-9a-f]{2}…/g, '[0-9a-f-]{8,}')
    .replaceAll(/(?<=127\\\.0\\\.0\\\.1:)\d+/g, String.raw`\d+`)
    .replaceAll('…', '[^]*')
  return new RegExp(`^${pattern}$`).test(found)
}
