import { useSyncExternalStore } from 'react'

let now = Date.now()
const listeners = new Set<() => void>()
let ticking: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  // Nothing has ticked while nobody listened.
  if (listeners.size === 0) now = Date.now()
  listeners.add(listener)
  ticking ??= setInterval(tick, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

const never = () => () => {}

/** The time in milliseconds, once a second while it runs, the same for all that show it. */
export const useNow = (isRunning = true): number => useSyncExternalStore(isRunning ? subscribe : never, () => now)
