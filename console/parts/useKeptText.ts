import { useState } from 'react'

const kept = new Map<string, string>()

/** A text that is still there when somebody leaves its page or closes its dialog and comes back, until a reload. */
export function useKeptText(key: string, initial: string): [string, (text: string) => void] {
  const [text, setText] = useState(kept.get(key) ?? initial)
  const change = (typed: string) => {
    if (typed === initial) kept.delete(key)
    else kept.set(key, typed)
    setText(typed)
  }
  return [text, change]
}
