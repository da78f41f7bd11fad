import { isObject } from '../../../../json.ts'
import { withoutHidden } from '../../../../names.ts'
import { shortened } from '../../../../text.ts'
import type { OperationBody } from '../operation.ts'
import { Unusable, type Documents, type Place } from './documents.ts'
import { isAnything, isForm, isJson, plainType } from './media-types.ts'
import type { Operation } from './operations.ts'

/** A body as it is described, without the property that holds it. */
export interface GivenBody extends Omit<OperationBody, 'property'> {
  isRequired: boolean
  description: unknown
  schema: Place
}

/** Bodies of these methods have no meaning (RFC 9110, 9.3). */
const without = new Set(['GET', 'HEAD', 'OPTIONS'])

const maxTypes = 50

/** The place of the body's description, before references. */
export const bodyPlace = ({ method, value, document }: Operation): Place | undefined =>
  without.has(method) || !isObject(value['requestBody']) ? undefined : { value: value['requestBody'], document }

/** The body that an operation takes: JSON if it can be, else a form. Throws if it takes neither. */
export function bodyAt({ value, document }: Place): GivenBody {
  if (!isObject(value)) throw new Unusable('has a body that is not described')
  const content = isObject(value['content']) ? Object.entries(value['content']).slice(0, maxTypes) : []
  const [given, form] = bestOf(content)
  const { schema = true, encoding } = isObject(form) ? form : {}
  const isRequired = value['required'] === true
  const common = { isRequired, description: value['description'], schema: { value: schema, document } }
  if (!isForm(given)) return { ...common, mediaType: isJson(given) ? plainType(given) : 'application/json' }
  return { ...common, mediaType: 'application/x-www-form-urlencoded', encoding: encodingIn(encoding) }
}

export const bodyOf = (operation: Operation, documents: Documents): GivenBody | undefined => {
  const place = bodyPlace(operation)
  return place && bodyAt(documents.follow(place))
}

function bestOf(content: [string, unknown][]): [string, unknown] {
  for (const fits of [isPlainJson, isJson, isForm, isAnything]) {
    const found = content.find(([mediaType]) => fits(mediaType))
    if (found) return found
  }
  const [first] = content
  if (!first) throw new Unusable('has a body that is not described')
  const shown = shortened(withoutHidden(first[0].slice(0, 100)), 60)
  throw new Unusable(`takes a body of the type ${shown}, and only JSON and forms are supported`)
}

const isPlainJson = (mediaType: string): boolean => plainType(mediaType) === 'application/json'

const maxEncodings = 100

/** How properties of a form are written, where it is not by the defaults (OpenAPI 3.1, 4.8.15). */
function encodingIn(given: unknown): OperationBody['encoding'] {
  if (!isObject(given)) return undefined
  const forms = Object.entries(given)
    .slice(0, maxEncodings)
    .filter(([name]) => name !== '__proto__' && name.length <= 200)
  const read = forms.flatMap(([name, form]) => {
    if (!isObject(form)) return []
    const style =
      ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'].find((one) => one === form['style']) ?? 'form'
    return [[name, { style, explode: form['explode'] === undefined ? style === 'form' : form['explode'] === true }]]
  })
  return read.length > 0 ? (Object.fromEntries(read) as OperationBody['encoding']) : undefined
}
