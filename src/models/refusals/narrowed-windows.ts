import { LRUCache } from 'lru-cache'
import type { Window } from '../context-window.ts'

/** The most runs and chats with a rejected prompt that are remembered. */
const mostKnown = 10_000
const knownMs = 60 * 60 * 1000

/** The share of one result in a prompt of this length. */
const resultPart = 1 / 3

/**
 * Prompt limits that this process learned from rejections, by model and run or chat. They are not shared: a stranger's
 * text may have more tokens than others, and must not shorten others' prompts.
 */
export function createNarrowedWindows() {
  const known = new LRUCache<string, number>({ max: mostKnown, ttl: knownMs })
  const keyOf = (model: string, cacheKey: string) => JSON.stringify([model, cacheKey])

  return {
    /** Records the maximum prompt size of the run or chat, in bytes. */
    note(model: string, cacheKey: string, promptBytes: number): void {
      const key = keyOf(model, cacheKey)
      known.set(key, Math.min(promptBytes, known.get(key) ?? Infinity))
    },

    of(window: Window, model: string, cacheKey: string | undefined): Window {
      const promptBytes = cacheKey === undefined ? undefined : known.get(keyOf(model, cacheKey))
      if (promptBytes === undefined) return window
      return { ...window, promptBytes, resultBytes: Math.min(window.resultBytes, Math.floor(promptBytes * resultPart)) }
    },
  }
}
