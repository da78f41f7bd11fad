import { isForm } from '../document/media-types.ts'
import type { OperationBody } from '../operation.ts'
import { inQuery } from './query.ts'
import { isMembers, membersOf, type Value } from './values.ts'

/** The body of a request, or why there is none (OpenAPI 3.1, 4.8.13 and 4.8.14.4). */
export function bodyOf({ mediaType, encoding }: OperationBody, value: Value): { body: string } | { problem: string } {
  if (!isForm(mediaType)) return { body: JSON.stringify(value) }
  return isMembers(value) ? { body: formOf(value, encoding) } : { problem: 'The body must be an object.' }
}

/** Lists repeat their name, and what is nested further is written with brackets, as most servers read it. */
const formOf = (value: Record<string, Value>, encoding: OperationBody['encoding'] = {}): string =>
  membersOf(value)
    .flatMap(([name, member]) => {
      const given = Object.hasOwn(encoding, name) ? encoding[name] : undefined
      const style = given ?? { style: isFlat(member) ? 'form' : 'deepObject', explode: true }
      return inQuery({ name, in: 'query', property: name, ...style }, member)
    })
    .join('&')

const isFlat = (value: Value): boolean => (Array.isArray(value) ? value.every(isPlain) : isPlain(value))

const isPlain = (value: Value): boolean => !Array.isArray(value) && !isMembers(value)
