import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { hideInTurns, type Hiding } from './hiding.ts'

/** A matcher of a few usual tokens takes about 100 KiB, so this is some 20 MiB; long tokens take more. */
const maxKept = 200
/** Of the secrets in all that is kept: each is sought in some twenty forms. */
const maxCharacters = 512 * 1024
const keptMs = 5 * 60_000

/**
 * Keeps what it takes to find secrets: each step of a run needs it again. The same secrets are the same object, so that
 * what was made with it can be kept as well.
 */
export function createHidings() {
  const kept = new LRUCache<string, Promise<Hiding>>({
    max: maxKept,
    maxSize: maxCharacters,
    ttl: keptMs,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  })
  return {
    of(secrets: readonly string[]): Promise<Hiding> {
      const key = createHash('sha256').update(JSON.stringify(secrets)).digest('base64')
      const known = kept.get(key)
      if (known) return known
      const hiding = hideInTurns(secrets)
      kept.set(key, hiding, { size: 1 + secrets.join('').length })
      return hiding
    },
  }
}

export type Hidings = ReturnType<typeof createHidings>
