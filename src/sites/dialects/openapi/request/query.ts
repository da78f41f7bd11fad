import type { OperationParameter } from '../operation.ts'
import { encoded, reserved } from './encode.ts'
import { itemsOf } from './path.ts'
import { bracketed, isGiven, partsOf, textOf, type Value } from './values.ts'

/** What stands between the items of a list that is not exploded (OpenAPI 3.1, 4.8.12.3). */
const between: Record<string, string> = { spaceDelimited: '%20', pipeDelimited: '%7C' }

/** The pairs of a query that a parameter becomes, encoded (OpenAPI 3.1, 4.8.12). */
export function inQuery(parameter: OperationParameter, value: Value): string[] {
  if (!isGiven(value)) return []
  const { name, style, explode, mediaType } = parameter
  const write = parameter.allowReserved === true ? reserved : encoded
  const pair = (key: string, text: string) => `${encoded(key)}=${write(text)}`
  if (mediaType !== undefined) return [pair(name, textOf(value))]
  if (style === 'deepObject') return bracketed(name, value).map(([key, text]) => pair(key, text))
  const parts = partsOf(value)
  if ('one' in parts) return [pair(name, parts.one)]
  if (!explode) {
    const items = itemsOf(parts, false, write)
    return items.length === 0 ? [] : [`${encoded(name)}=${items.join(between[style] ?? ',')}`]
  }
  return 'list' in parts
    ? parts.list.map((item) => pair(name, item))
    : parts.members.map(([key, text]) => pair(key, text))
}
