import type { Api } from '../api/client.ts'

/** A run without bodies. */
export type ListedRun = Api['RunSummary']
type Page = Api['RunSummaryPage']

/** The runs that were read, newest first, and those that arrived since and wait until the reader wants them. */
export interface RunList {
  rows: readonly ListedRun[]
  /** The cursor of the runs before the last row. Null if there are none. */
  next: string | null
  arrived: readonly ListedRun[]
  /** So many arrived that others lie between them and the rows. The list then begins again, and this is its cursor. */
  restart: string | undefined
}

export const listFrom = (page: Page): RunList => ({
  rows: page.items,
  next: page.nextCursor,
  arrived: [],
  restart: undefined,
})

/** The older runs of the page read with `cursor`. A list that began again meanwhile has no use for them. */
export const withOlder = (list: RunList, cursor: string, page: Page): RunList =>
  list.next === cursor ? { ...list, rows: [...list.rows, ...page.items], next: page.nextCursor } : list

/** The first page, read again: what it knows better about rows, and which of its runs are not in the list. */
export function withFirstPage(list: RunList, page: Page): RunList {
  const { rows, unknown } = updated(list.rows, page.items)
  const hasGap = unknown.length === page.items.length
  return { ...list, rows, arrived: unknown, restart: (hasGap && page.nextCursor) || undefined }
}

/** What else was read about rows. Other runs are ignored. */
export const withFresh = (list: RunList, fresh: readonly ListedRun[]): RunList => ({
  ...list,
  rows: updated(list.rows, fresh).rows,
})

/** The list with the runs that arrived. */
export function withArrived(list: RunList): RunList {
  const { arrived, restart } = list
  if (arrived.length === 0) return list
  if (restart !== undefined) return { rows: arrived, next: restart, arrived: [], restart: undefined }
  return { ...list, rows: [...arrived, ...list.rows], arrived: [] }
}

/** A row that did not change stays the same object, and its part of the page is not drawn again. */
function updated(rows: readonly ListedRun[], fresh: readonly ListedRun[]) {
  const unknown = new Map(fresh.map((run) => [run.id, run]))
  let next: ListedRun[] | undefined
  for (const [at, row] of rows.entries()) {
    const run = unknown.get(row.id)
    if (!run) continue
    unknown.delete(row.id)
    if (!isSame(row, run)) (next ??= [...rows])[at] = run
    if (unknown.size === 0) break
  }
  return { rows: next ?? rows, unknown: [...unknown.values()] }
}

const isSame = (one: ListedRun, other: ListedRun): boolean =>
  (Object.keys(other) as (keyof ListedRun)[]).every((name) => one[name] === other[name])

const ended = new Set<Api['RunStatus']>(['completed', 'failed', 'cancelled', 'skipped'])

export const hasEnded = ({ status }: Pick<ListedRun, 'status'>): boolean => ended.has(status)

/** The period in which these runs were accepted, for a query that reads them again. Its end is exclusive. */
export function periodOfRuns(runs: readonly ListedRun[]): { since: string; until: string } | undefined {
  const times = runs.map(({ acceptedAt }) => Date.parse(acceptedAt))
  if (times.length === 0) return undefined
  const [first, last] = [Math.min(...times), Math.max(...times)]
  return { since: new Date(first).toISOString(), until: new Date(last + 1).toISOString() }
}
