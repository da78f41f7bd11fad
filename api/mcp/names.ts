import { createHash } from 'node:crypto'
import { providerSafe } from '../../src/models/tool-names.ts'

const maxLength = 64
const hashLength = 16

/** The words of a name, in characters that every client accepts. Empty for a name without a Latin letter or a digit. */
export const slug = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_|_$/g, '')
    .slice(0, 24)

/**
 * Gives everything that is offered a unique name of at most 64 characters. Of those that want the same name, each gets a
 * hash of its key instead of keeping it, so a name never means another thing because something was added. `taken` are
 * names that nobody gets.
 */
export function uniqueNames<T extends { wanted: string; key: string }>(
  all: readonly T[],
  taken: ReadonlySet<string>,
): (T & { name: string })[] {
  const groups = Map.groupBy(all, ({ wanted }) => providerSafe(wanted))
  return [...groups].flatMap(([name, group]) => {
    const isFree = group.length === 1 && !taken.has(name)
    return group.map((one) => ({ ...one, name: isFree ? name : withHash(name, one.key) }))
  })
}

const withHash = (name: string, key: string): string =>
  `${name.slice(0, maxLength - hashLength - 1)}_${createHash('sha256').update(key).digest('hex').slice(0, hashLength)}`
