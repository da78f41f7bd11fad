/** What the address of the inbox says: the open approval, and which ones are listed. */
export interface InboxSearch {
  approval?: string | undefined
  show?: 'decided' | undefined
}

export const readInboxSearch = (raw: Record<string, unknown>): InboxSearch => ({
  approval: typeof raw['approval'] === 'string' && raw['approval'].length <= 36 ? raw['approval'] : undefined,
  show: raw['show'] === 'decided' ? 'decided' : undefined,
})

/** The item after the open one (`step` 1) or before it (-1). It stays at the ends. The first, if the open one is gone. */
export function neighbor(ids: readonly string[], open: string | undefined, step: 1 | -1): string | undefined {
  const at = open === undefined ? -1 : ids.indexOf(open)
  if (at === -1) return ids[0]
  return ids[Math.min(Math.max(at + step, 0), ids.length - 1)]
}

/** What opens after a decision: the next that waits, or else the one before. undefined if nothing is left. */
export function afterDecision(ids: readonly string[], decided: string): string | undefined {
  const at = ids.indexOf(decided)
  return at === -1 ? ids[0] : (ids[at + 1] ?? ids[at - 1])
}

const keys = { j: 'next', k: 'previous', a: 'approve', r: 'refuse' } as const
export type Command = (typeof keys)[keyof typeof keys]

/** The command of a key. Keys with a modifier, held keys, and keys that somebody types into a field are none. */
export function commandOf(
  { key, ctrlKey, metaKey, altKey, repeat }: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'repeat'>,
  isTyping: boolean,
): Command | undefined {
  if (isTyping || ctrlKey || metaKey || altKey) return undefined
  const command = Object.hasOwn(keys, key) ? keys[key as keyof typeof keys] : undefined
  return repeat && (command === 'approve' || command === 'refuse') ? undefined : command
}

export const pageSize = 50

/**
 * Whether a page in order of arrival may have a successor; its cursor does not say so. A page ends at its size, or
 * before a mebibyte of arguments, which no page of fewer characters reaches.
 */
export const mayHaveMore = (items: readonly { arguments: unknown }[]): boolean =>
  items.length === pageSize || items.reduce((sum, item) => sum + JSON.stringify(item.arguments).length, 0) > 80_000
