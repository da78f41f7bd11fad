import { LRUCache } from 'lru-cache'
import type { Window } from '../window.ts'

/** How many runs and chats are remembered whose prompts were rejected as too long. */
const mostKnown = 10_000
const knownMs = 60 * 60 * 1000

/** How much of one result is shown of a prompt of such a length. */
const resultPart = 1 / 3

/**
 * What this process has learnt of prompts that were too long, by model and run or chat. It is not shared between them: a
 * stranger's text may have more tokens than others, and must not shorten the prompts of others.
 */
export function createNarrowed() {
  const known = new LRUCache<string, number>({ max: mostKnown, ttl: knownMs })
  const keyOf = (model: string, cacheKey: string) => JSON.stringify([model, cacheKey])

  return {
    /** Notes that prompts of the run or chat may have so many bytes at most. */
    note(model: string, cacheKey: string, promptBytes: number): void {
      const key = keyOf(model, cacheKey)
      known.set(key, Math.min(promptBytes, known.get(key) ?? Infinity))
    },

    /** The window as far as the run or chat may use it. */
    of(window: Window, model: string, cacheKey: string | undefined): Window {
      const promptBytes = cacheKey === undefined ? undefined : known.get(keyOf(model, cacheKey))
      if (promptBytes === undefined) return window
      return { ...window, promptBytes, resultBytes: Math.min(window.resultBytes, Math.floor(promptBytes * resultPart)) }
    },
  }
}
