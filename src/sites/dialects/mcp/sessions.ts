import { LRUCache } from 'lru-cache'
import type { SiteCall } from '../../../tools/call-site.ts'
import type { Session } from './session.ts'

const mostKept = 1000
/** Servers keep a session for minutes at least, and a new one costs only three requests. */
const idleMs = 5 * 60_000

type Place = Pick<SiteCall, 'entryId' | 'generation' | 'serverUrl'>

/** The open sessions of this process: one for each credential, because a new token means a new session. */
export function createSessions<C extends Place>(open: (call: C) => Promise<Session>) {
  const kept = new LRUCache<string, Promise<Session>>({
    max: mostKept,
    ttl: idleMs,
    ttlAutopurge: true,
    updateAgeOnGet: true,
    dispose: (session) =>
      void session.then(
        ({ end }) => end(),
        () => {},
      ),
  })

  /** Keeps other calls of the credential from it, unless they have another already. */
  function forget(call: C, session: Promise<Session>): void {
    const key = keyOf(call)
    if (kept.peek(key) === session) kept.delete(key)
  }

  return {
    /** Whether a session was opened before. */
    knows: (call: C): boolean => kept.has(keyOf(call)),

    /** The credential's session. Calls at the same time share one. Throws as `open` does. */
    of(call: C): Promise<Session> {
      const known = kept.get(keyOf(call))
      if (known) return known
      const session = open(call)
      kept.set(keyOf(call), session)
      session.catch(() => forget(call, session))
      return session
    },

    forget,
  }
}

const keyOf = ({ entryId, generation, serverUrl }: Place): string => `${entryId} ${generation} ${serverUrl}`
