import { useSyncExternalStore } from 'react'

/** A value that outlives pages: components read it with `use`, and other code with `get`. */
export function createStore<Value>(first: Value) {
  let value = first
  const listeners = new Set<() => void>()
  const get = (): Value => value
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get,
    set(next: Value): void {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener()
    },
    use: (): Value => useSyncExternalStore(subscribe, get),
  }
}
