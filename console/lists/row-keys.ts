/** What a key does in a list of rows. */
export type RowAction =
  | { kind: 'move'; to: number; extends: boolean }
  | { kind: 'open' | 'toggle' | 'extend' | 'all' | 'none' }

interface Press {
  key: string
  shiftKey: boolean
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
}

/** The list in which a key is pressed: the row with the focus, how many there are, and how many a page shows. */
interface Place {
  at: number
  count: number
  perPage: number
}

/** The action of a key, or undefined if the browser keeps it. */
export function actionOfKey(press: Press, { at, count, perPage }: Place): RowAction | undefined {
  const { key, shiftKey, ctrlKey, metaKey, altKey } = press
  if (altKey || count === 0) return undefined
  if (ctrlKey || metaKey) return key === 'a' ? { kind: 'all' } : undefined
  const target = targets[key]?.(at, count, perPage)
  if (target !== undefined) return { kind: 'move', to: Math.min(Math.max(target, 0), count - 1), extends: shiftKey }
  if (key === ' ') return { kind: shiftKey ? 'extend' : 'toggle' }
  const kind = actions[key]
  return kind && { kind }
}

const targets: Record<string, (at: number, count: number, perPage: number) => number> = {
  ArrowDown: (at) => at + 1,
  j: (at) => at + 1,
  J: (at) => at + 1,
  ArrowUp: (at) => at - 1,
  k: (at) => at - 1,
  K: (at) => at - 1,
  PageDown: (at, _count, perPage) => at + perPage,
  PageUp: (at, _count, perPage) => at - perPage,
  Home: () => 0,
  End: (_at, count) => count - 1,
}

const actions: Record<string, 'open' | 'toggle' | 'none'> = { Enter: 'open', x: 'toggle', Escape: 'none' }
