/** The chosen rows, by their ids: some, or all that match the filter. */
export interface Selection {
  ids: ReadonlySet<string>
  /** Where a range begins: the row that was chosen last. */
  anchor: string | undefined
  isAll: boolean
}

export const none: Selection = { ids: new Set(), anchor: undefined, isAll: false }
export const all: Selection = { ids: new Set(), anchor: undefined, isAll: true }

export const isEmpty = ({ ids, isAll }: Selection): boolean => !isAll && ids.size === 0

/** Chooses a row, or no longer. */
export function toggled({ ids }: Selection, id: string): Selection {
  return { ids: withToggled(ids, id), anchor: id, isAll: false }
}

/** The set with the item added or removed. */
export function withToggled(set: ReadonlySet<string>, item: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(item)) next.add(item)
  return next
}

/** Chooses the rows from the anchor, or from `from` without one, to `id` as well. The next range begins there too. */
export function extended(selection: Selection, order: readonly { id: string }[], id: string, from = id): Selection {
  const anchor = selection.anchor ?? from
  const begin = order.findIndex((row) => row.id === anchor)
  const end = order.findIndex((row) => row.id === id)
  if (begin === -1 || end === -1) return selection
  const range = order.slice(Math.min(begin, end), Math.max(begin, end) + 1)
  return { ids: new Set([...selection.ids, ...range.map((row) => row.id)]), anchor, isAll: false }
}
