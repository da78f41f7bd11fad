import type { OperationParameter } from '../operation.ts'
import { encoded, literal } from './encode.ts'
import { partsOf, type Parts, type Value } from './values.ts'

type Problem = { problem: string }

/**
 * The path of a request: the template with its values (OpenAPI 3.1, 4.8.9). A value that is empty, or that addresses
 * would resolve as a step, would lead to another operation, so it is a problem.
 */
export function pathOf(
  template: string,
  parameters: readonly OperationParameter[],
  args: Record<string, Value>,
): { path: string } | Problem {
  const problems: string[] = []
  const path = template
    .split(/(\{[^{}]*\})/)
    .map((piece) => {
      const parameter = parameters.find(({ name }) => piece === `{${name}}`)
      if (!parameter) return literal(piece)
      const written = inPath(parameter, partsOf(args[parameter.property] ?? ''))
      if (/^[.;]?$/.test(written)) problems.push(`"${parameter.property}" must not be empty.`)
      return written
    })
    .join('')
  if (path.split('/').some(isStep)) problems.push('A part of the path must not be "." or "..".')
  return problems[0] === undefined ? { path } : { problem: problems[0] }
}

/** Proxies may decode slashes before they resolve steps. */
const isStep = (segment: string): boolean =>
  segment.split(/\\|%2f|%5c/i).some((part) => /^(?:\.|%2e){1,2}$/i.test(part))

/** Simple, label and matrix style (RFC 6570, 3.2.2, 3.2.5 and 3.2.7). */
function inPath({ name, style, explode }: OperationParameter, parts: Parts): string {
  if (style === 'matrix') return matrix(encoded(name), explode, parts)
  const [first, between] = style === 'label' ? ['.', explode ? '.' : ','] : ['', ',']
  return first + itemsOf(parts, explode, encoded).join(between)
}

function matrix(name: string, explode: boolean, parts: Parts): string {
  if (!explode) return `;${name}=${itemsOf(parts, false, encoded).join(',')}`
  if ('members' in parts) return parts.members.map(([key, value]) => `;${encoded(key)}=${encoded(value)}`).join('')
  return itemsOf(parts, false, encoded)
    .map((item) => `;${name}=${item}`)
    .join('')
}

/** The items of a value: each member is one, as `name=value`, if it is exploded, and two otherwise. */
export function itemsOf(parts: Parts, explode: boolean, write: (text: string) => string): string[] {
  if ('one' in parts) return [write(parts.one)]
  if ('list' in parts) return parts.list.map(write)
  return explode
    ? parts.members.map(([name, value]) => `${write(name)}=${write(value)}`)
    : parts.members.flat().map(write)
}
