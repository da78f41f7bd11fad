import type { GivenParameter } from './parameters.ts'
import type { GivenBody } from './request-body.ts'

/** What an operation takes. */
export interface Described {
  parameters: readonly GivenParameter[]
  body: GivenBody | undefined
}

const longest = 60

/**
 * The properties that hold the parameters and the body: the name of the parameter in signs that models may use. The
 * body is `body`. Parameters of one name in several places get the place behind it: `id`, `id_query`.
 */
export function propertyNames({ parameters, body }: Described): { parameters: string[]; body: string } {
  const used = new Set(body ? ['body'] : [])
  const named = parameters.map(({ name, in: place }, index) => ({ index, place, name: usable(name) }))
  // Those in the path come first, so that they have the plain name.
  const ordered = named.toSorted((one, other) => rank(one.place) - rank(other.place))
  const names = new Map(ordered.map(({ index, place, name }) => [index, unused(name, place, used)]))
  return { parameters: parameters.map((_, index) => names.get(index) ?? ''), body: 'body' }
}

const rank = (place: string): number => ['path', 'query', 'header', 'cookie'].indexOf(place)

function usable(name: string): string {
  const clean = name.replaceAll(/[^\w-]+/g, '_').replaceAll(/^_|_$/g, '')
  return clean === '' ? 'value' : clean.slice(0, longest)
}

function unused(name: string, place: string, used: Set<string>): string {
  let free = name
  for (let count = 1; used.has(free); count++) free = count === 1 ? `${name}_${place}` : `${name}_${place}_${count}`
  used.add(free)
  return free
}
