import type { Adapter, AdapterPayload } from 'oidc-provider'
import { keptFile } from '../kept-file.ts'

interface Kept {
  payload: AdapterPayload
  /** Milliseconds since 1970. */
  expires: number
}

/** The parts of a platform's connection. Sessions and codes end with the process. */
const savedKinds = ['Grant', 'AccessToken', 'RefreshToken']

type Saved = Record<string, [id: string, kept: Kept][]>

export type Storage = ReturnType<typeof createStorage>

/**
 * The storage of oidc-provider's sessions, grants, codes and tokens, by kind and id. It is in memory, with a file for
 * connections. Your own site puts a database behind the same functions, and makes `consume` one statement that
 * succeeds only once.
 */
export function createStorage(now: () => number = Date.now, file = keptFile<Saved>(undefined)) {
  const kinds = new Map(Object.entries(file.read() ?? {}).map(([kind, entries]) => [kind, new Map(entries)]))

  /** Saved before the response, so that issued and used tokens keep their state after a restart. */
  function save(kind: string): void {
    if (savedKinds.includes(kind)) file.keep(Object.fromEntries(savedKinds.map((one) => [one, [...unexpired(one)]])))
  }

  const unexpired = (kind: string) => [...kept(kind)].filter(([, { expires }]) => expires > now())

  function kept(kind: string): Map<string, Kept> {
    const found = kinds.get(kind) ?? new Map<string, Kept>()
    kinds.set(kind, found)
    return found
  }

  /** All entries of a kind have the same lifetime, so the oldest expire first. */
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
        save(kind)
      },
      find: async (id) => all.get(id)?.payload,
      findByUid: async (uid) => payloads().find((payload) => payload.uid === uid),
      findByUserCode: async () => undefined,
      async consume(id) {
        const found = all.get(id)
        // Marked instead of deleted, so that reuse can be distinguished from guessing.
        if (found) found.payload.consumed = Math.floor(now() / 1000)
        save(kind)
      },
      async destroy(id) {
        all.delete(id)
        save(kind)
      },
      async revokeByGrantId(grantId) {
        for (const [id, { payload }] of all) if (payload.grantId === grantId) all.delete(id)
        save(kind)
      },
    }
  }

  return {
    adapter,
    /** Deletes everything of a kind; for tests. */
    forget(kind: string): void {
      kept(kind).clear()
      save(kind)
    },
  }
}
