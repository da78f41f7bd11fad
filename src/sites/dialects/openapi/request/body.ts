import { encoded } from './encode.ts'
import { bracketed, isGiven, isMembers, membersOf, textOf, type Value } from './values.ts'

/** The body of a request, or why there is none (OpenAPI 3.1, 4.8.13 and 4.8.14.4). */
export function bodyOf(mediaType: string, value: Value): { body: string } | { problem: string } {
  const type = mediaType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (isJson(type)) return { body: JSON.stringify(value) }
  if (type === 'application/x-www-form-urlencoded')
    return isMembers(value) ? { body: formOf(value) } : { problem: 'The body must be an object.' }
  if (type.startsWith('multipart/')) return { problem: 'The tool needs a body in parts, which is not supported.' }
  return { body: textOf(value) }
}

export const isJson = (type: string): boolean => /[/+]json$/i.test(type) || type === '*/*'

/** Lists repeat their name, and what is nested further is written with brackets, as most servers read it. */
const formOf = (value: Record<string, Value>): string =>
  membersOf(value)
    .flatMap(([name, member]) =>
      Array.isArray(member) && member.every(isPlain)
        ? member.filter(isGiven).map((item: Value): [string, string] => [name, textOf(item)])
        : bracketed(name, member),
    )
    .map(([name, text]) => `${encoded(name)}=${encoded(text)}`)
    .join('&')

const isPlain = (value: Value): boolean => !Array.isArray(value) && !isMembers(value)
