import { EventEmitter, once } from 'node:events'
import type { Logger } from '../logger.ts'
import { createRounds } from '../rounds.ts'

/** How often everything that is watched in this process is looked at, in milliseconds: with one query for all. */
interface Looking<Known> {
  logger: Logger
  everyMs: number
  /** Updates what is known, and wakes the watchers of what has changed. */
  look: (watched: Known[]) => Promise<void>
  /** Logged when looks begin to fail. */
  failure: string
}

/**
 * Tells those who wait for something of a run or an answer that it has changed: at once if this process knows, else with
 * the next look. `NOTIFY` in the writers' transactions would lock the whole database at commit, cost the accept path two
 * thirds of its commits, and not pass a pooler of transactions.
 */
export function createWatches<Known>({ look, ...looking }: Looking<Known>) {
  const all = new Map<string, { known: Known; watchers: number; changes: number; emitter: EventEmitter }>()
  const known = (): Known[] => [...all.values()].map((one) => one.known)
  const rounds = createRounds({ ...looking, isNeeded: () => all.size > 0, round })

  async function round(): Promise<void> {
    if (all.size > 0) await look(known())
  }

  function wake(id: string): void {
    const one = all.get(id)
    if (!one) return
    one.changes += 1
    one.emitter.emit('changed')
  }

  return {
    /** @param begin what is known of it if nobody else watches it; its watchers share that */
    watch(id: string, begin: () => Known) {
      const one = all.get(id) ?? { known: begin(), watchers: 0, changes: 0, emitter: newEmitter() }
      let seen = one.changes
      one.watchers += 1
      all.set(id, one)
      rounds.begin()
      return {
        known: one.known,

        /** Resolves once something has changed since the watch or the last `changed` began. Throws the signal's reason. */
        changed: async (signal: AbortSignal): Promise<void> => {
          signal.throwIfAborted()
          if (one.changes === seen) {
            await once(one.emitter, 'changed', { signal }).catch(() => signal.throwIfAborted())
          }
          seen = one.changes
        },

        close: (): void => {
          one.watchers -= 1
          if (one.watchers === 0) all.delete(id)
        },
      }
    },

    known,
    wake,
    stopping: rounds.stopping,

    /** Wakes all watchers, and waits for the current look. */
    stop: async (): Promise<void> => {
      const stopped = rounds.stop()
      for (const id of all.keys()) wake(id)
      await stopped
    },
  }
}

/** Any number may wait for one run or answer. */
const newEmitter = () => new EventEmitter().setMaxListeners(0)
