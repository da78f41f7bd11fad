import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { hideInTurns, type Hiding } from './hiding.ts'

/** What finds a few usual tokens takes about 100 KiB, so this is some 20 MiB. */
const maxKept = 200
/** Of secrets and spellings, in all that is kept: 32 MiB. 500 secrets as long as they may be are a third of it. */
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
 * Hides these secrets. What it takes to find them is made in turns of the event loop, and kept by the process or the thread:
 * each step of a run needs it again. The same secrets are the same object, so that what was made with it can be kept as
 * well.
 */
export function hidingOf(secrets: readonly string[]): Promise<Hiding> {
  const key = createHash('sha256').update(JSON.stringify(secrets)).digest('base64')
  const known = kept.get(key)
  if (known) return known
  const hiding = hideInTurns(secrets)
  kept.set(key, hiding, { size: 1 + secrets.reduce((sum, secret) => sum + unitsKept(secret), 0) })
  return hiding
}

/** Of the secret itself, and of the hashes of its spellings. */
const unitsKept = ({ length }: string): number => length + 3000
