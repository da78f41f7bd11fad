import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { hideInTurns, type Hiding } from './hiding.ts'

/** Matchers in the cache. One for a few usual tokens takes about 100 KiB, so this is about 20 MiB. */
const maxKept = 200
/** Total UTF-16 units of the cached secrets and spellings: 32 MiB. 500 secrets of maximum length take a third of it. */
const maxUnits = 16 * 1024 * 1024
const keptMs = 5 * 60_000

const kept = new LRUCache<string, Promise<Hiding>>({
  max: maxKept,
  maxSize: maxUnits,
  ttl: keptMs,
  ttlAutopurge: true,
  updateAgeOnGet: true,
})

/**
 * Returns a cached matcher for these secrets, because each step of a run needs it. Building it yields to the event
 * loop. The same secrets return the same object, so derived data can be cached too.
 */
export function hidingOf(secrets: readonly string[]): Promise<Hiding> {
  const key = createHash('sha256').update(JSON.stringify(secrets)).digest('base64')
  const known = kept.get(key)
  if (known) return known
  const hiding = hideInTurns(secrets)
  kept.set(key, hiding, { size: 1 + secrets.reduce((sum, secret) => sum + unitsKept(secret), 0) })
  return hiding
}

const unitsKept = ({ length }: string): number => length + 3000
