import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../../src/database/database.ts'

/** Watches when other processes take answers up, or end them, from now on. */
export function watchTakeovers(database: Database, ids: string[]) {
  const from = performance.now()
  const tookMs = new Map<string, number>()
  const over = new AbortController()
  const watching = (async () => {
    while (!over.signal.aborted && tookMs.size < ids.length) {
      const { rows } = await database.raw<{ rows: { id: string }[] }>(settledStatement, { ids })
      for (const { id } of rows) if (!tookMs.has(id)) tookMs.set(id, Math.round(performance.now() - from))
      await delay(50)
    }
  })()
  return {
    /** How long that took, in milliseconds, by the answer. */
    tookMs: (id: string) => tookMs.get(id) ?? Infinity,
    stop: async (): Promise<void> => {
      over.abort()
      await watching
    },
  }
}

const settledStatement = `
  select id from chat_answers where id = any(:ids::uuid[]) and (takeovers > 0 or ended_at is not null)`
