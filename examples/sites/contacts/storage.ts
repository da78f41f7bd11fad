import type { Adapter, AdapterPayload } from 'oidc-provider'

interface Kept {
  payload: AdapterPayload
  /** Milliseconds since 1970. */
  expires: number
}

export type Storage = ReturnType<typeof createStorage>

/**
 * Where oidc-provider keeps sessions, grants, codes and tokens, by kind and id. In memory here; a site of your own puts
 * a database behind the same few functions, and makes `consume` one statement that succeeds only for the first.
 */
export function createStorage(now: () => number = Date.now) {
  const kinds = new Map<string, Map<string, Kept>>()

  function kept(kind: string): Map<string, Kept> {
    const found = kinds.get(kind) ?? new Map<string, Kept>()
    kinds.set(kind, found)
    return found
  }

  /** All of one kind live equally long, so the oldest are the first to go. */
  function dropExpired(all: Map<string, Kept>): void {
    for (const [id, { expires }] of all) {
      if (expires > now()) return
      all.delete(id)
    }
  }

  function adapter(kind: string): Adapter {
    const all = kept(kind)
    const payloads = () => [...all.values()].map(({ payload }) => payload)
    return {
      async upsert(id, payload, expiresIn = Infinity) {
        dropExpired(all)
        all.delete(id)
        all.set(id, { payload, expires: now() + expiresIn * 1000 })
      },
      find: async (id) => all.get(id)?.payload,
      findByUid: async (uid) => payloads().find((payload) => payload.uid === uid),
      findByUserCode: async () => undefined,
      async consume(id) {
        const found = all.get(id)
        // Kept, not removed: whoever comes with it again is told apart from somebody who guesses.
        if (found) found.payload.consumed = Math.floor(now() / 1000)
      },
      destroy: async (id) => void all.delete(id),
      async revokeByGrantId(grantId) {
        for (const [id, { payload }] of all) if (payload.grantId === grantId) all.delete(id)
      },
    }
  }

  return {
    adapter,
    /** Forgets everything of a kind at once; for tests. */
    forget: (kind: string): void => kept(kind).clear(),
  }
}
