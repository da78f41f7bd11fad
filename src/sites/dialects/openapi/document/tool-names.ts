import { createHash } from 'node:crypto'

const longest = 64
const hashLength = 8
/** Longer ids are only hashed, up to a length: YAML documents may repeat one for nothing. */
const longestRead = 300
const longestHashed = 2000

export interface Named {
  /** As the document gives it. */
  id: unknown
  method: string
  path: string
}

/**
 * The names of the tools that operations become: in snake case, like those in manifests, from the id of the operation
 * or else from its method and path. A name that is too long, or that several operations would have, gets a hash of the
 * operation itself. So it stays the same whatever else the document changes, unless another operation takes its name.
 */
export function toolNames(operations: readonly Named[]): string[] {
  const names = operations.map(nameOf)
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return names.map((name, index) => {
    const { method = '', path = '' } = operations[index] ?? {}
    return counts.get(name) === 1 ? name : hashed(name, `${method} ${path}`)
  })
}

function nameOf({ id, method, path }: Named): string {
  const own = typeof id === 'string' ? snakeCase(id) : ''
  const [name, source] = own === '' ? [snakeCase(inWords(method, path)), `${method} ${path}`] : [own, String(id)]
  return name.length > longest || source.length > longestRead ? hashed(name, source) : name
}

/** `GET /pets/{petId}/toys` as `GET pets by petId toys`. */
const inWords = (method: string, path: string): string =>
  `${method} ${path.slice(0, longestRead).replaceAll('{', ' by ')}`

function snakeCase(text: string): string {
  const words = text
    .slice(0, longestRead)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '_')
    .replaceAll(/^_|_$/g, '')
  return /^\d/.test(words) ? `call_${words}` : words
}

function hashed(name: string, source: string): string {
  const hash = createHash('sha256').update(source.slice(0, longestHashed)).digest('hex').slice(0, hashLength)
  return `${name.slice(0, longest - hashLength - 1).replace(/_$/, '')}_${hash}`
}
