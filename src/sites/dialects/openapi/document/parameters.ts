import { isObject } from '../../../../json.ts'
import type { CredentialPlace, OperationParameter } from '../operation.ts'
import { Unusable, type Documents, type Place } from './documents.ts'
import { isHeaderName, isOwnHeader } from './headers.ts'
import { isJson } from './media-types.ts'
import type { Operation } from './operations.ts'
import { pathNames } from './paths.ts'

const maxParameters = 100
const longestName = 200

/** A parameter as it is described, without the property that holds its value. */
export interface GivenParameter extends Omit<OperationParameter, 'property'> {
  isRequired: boolean
  description: unknown
  schema: Place
}

const places = ['path', 'query', 'header', 'cookie'] as const
type In = (typeof places)[number]

/** The styles of each place (OpenAPI 3.1, 4.8.12.3), the default first. */
const styles: Record<In, readonly string[]> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form'],
}

/**
 * The parameters of an operation that a caller may set. Those of the operation replace those of its path. The
 * credential, headers of the platform, and cookies, are nobody's to set. Throws if the operation cannot be called.
 */
export function parametersOf(
  operation: Operation,
  { documents, credential }: { documents: Documents; credential: CredentialPlace | undefined },
): GivenParameter[] {
  const found = new Map<string, GivenParameter>()
  for (const place of placesOf(operation)) {
    const parameter = parameterAt(documents.follow(place))
    if (parameter) found.set(keyOf(parameter), parameter)
  }
  if (credential && 'in' in credential) found.delete(keyOf(credential))
  const names = pathNames(operation.path)
  const undescribed = names.find((name) => !found.has(keyOf({ in: 'path', name })))
  if (undescribed !== undefined) throw new Unusable(`does not describe "${undescribed}" in its path`)
  return [...found.values()].filter((one) => one.in !== 'path' || names.includes(one.name))
}

/** Names of headers are not case-sensitive (RFC 9110, 5.1). */
const keyOf = ({ in: place, name }: Pick<GivenParameter, 'in' | 'name'>): string =>
  `${place} ${place === 'header' ? name.toLowerCase() : name}`

function placesOf({ parameters, document }: Operation): Place[] {
  const lists = parameters.filter((list) => Array.isArray(list))
  if (lists.some(({ length }) => length > maxParameters))
    throw new Unusable(`has more than ${maxParameters} parameters`)
  return lists.flat().map((value: unknown) => ({ value, document }))
}

function parameterAt({ value, document }: Place): GivenParameter | undefined {
  if (!isObject(value)) throw new Unusable('has a parameter that is no object')
  const { name, in: place, description } = value
  const isRequired = value['required'] === true || place === 'path'
  if (!isPlace(place)) throw new Unusable('has a parameter in a place that is not supported')
  if (typeof name !== 'string' || name === '' || name.length > longestName || !name.isWellFormed())
    throw new Unusable('has a parameter without a usable name')
  if (place === 'cookie') {
    if (isRequired) throw new Unusable('needs a cookie, and cookies are not supported')
    return undefined
  }
  if (place === 'header' && isOwnHeader(name)) return undefined
  if (place === 'header' && !isHeaderName(name)) throw new Unusable('has a parameter without a usable name')
  return { name, in: place, isRequired, description, ...formOf(value, place, document) }
}

const isPlace = (place: unknown): place is In => places.some((known) => known === place)

/** How the value is written: by a style, or as a media type (OpenAPI 3.1, 4.8.12.2). */
function formOf(value: Record<string, unknown>, place: In, document: string) {
  const known = styles[place]
  const style = known.find((one) => one === value['style']) ?? known[0] ?? 'form'
  const explode = typeof value['explode'] === 'boolean' ? value['explode'] : style === 'form'
  const allowReserved = value['allowReserved'] === true && place === 'query'
  const written = { style, explode, ...(allowReserved && { allowReserved }) }
  if (!isObject(value['content'])) return { ...written, schema: { value: value['schema'] ?? true, document } }
  const [mediaType = '', content] = Object.entries(value['content'])[0] ?? []
  if (!isJson(mediaType)) throw new Unusable('has a parameter in a form that is not supported')
  return { ...written, mediaType, schema: { value: isObject(content) ? (content['schema'] ?? true) : true, document } }
}
