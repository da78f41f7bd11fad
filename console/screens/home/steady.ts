import type { Api } from '../../api/client.ts'

type Need = Api['Need']

/** A row of the list. `isOver`: it needs nobody now, and keeps its place until the reader wants the new list. */
export interface Row {
  key: string
  need: Need
  isOver: boolean
}

/** The same need in two answers. Its sentence and its run may have changed. */
const keyOf = ({ kind, cause, agentId, approvalId, vaultEntryId, model, since }: Need): string =>
  [kind, cause, agentId, approvalId, vaultEntryId, model, since].join(' ')

/**
 * The rows that a reader looks at, with what is known about them now: nothing moves. `arrived` counts the needs that
 * wait to be shown.
 */
export function steadyRows(shown: readonly Need[], now: readonly Need[]): { rows: Row[]; arrived: number } {
  const fresh = new Map(now.map((need) => [keyOf(need), need]))
  const rows = shown.map((need) => {
    const key = keyOf(need)
    return { key, need: fresh.get(key) ?? need, isOver: !fresh.has(key) }
  })
  const known = new Set(rows.map(({ key }) => key))
  return { rows, arrived: [...fresh.keys()].filter((key) => !known.has(key)).length }
}
