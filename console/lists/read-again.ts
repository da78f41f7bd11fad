import type { Api } from '../api/client.ts'
import {
  hasEnded,
  listFrom,
  periodOfRuns,
  withArrived,
  withFirstPage,
  withFresh,
  type ListedRun,
  type RunList,
} from './run-list.ts'

/** The most runs that are read one by one, because they left the filter. */
const mostSingle = 3

/** How the list reads. */
export interface Reading {
  page: (at: { since?: string; until?: string }) => Promise<Api['RunSummaryPage']>
  one: (runId: string) => Promise<ListedRun | undefined>
}

/** What the reader looks at. */
export interface View {
  visible: (rows: readonly ListedRun[]) => readonly ListedRun[]
  /** Whether the reader is somewhere in the list, so that nothing may move. */
  isReading: () => boolean
}

/**
 * Reads the first page, and the runs that the reader sees and that may have changed: with the page of their period, and
 * one by one if they left the filter. `list` is asked for after each answer, because older runs may have been added.
 */
export async function readAgain(list: () => RunList | undefined, view: View, reading: Reading): Promise<RunList> {
  const first = await reading.page({})
  const before = list()
  if (!before) return listFrom(first)
  const open = without(
    view.visible(before.rows).filter((run) => !hasEnded(run)),
    first.items,
  )
  const fresh = await readOpen(open, reading)
  const next = withFresh(withFirstPage(list() ?? before, first), fresh)
  return view.isReading() ? next : withArrived(next)
}

async function readOpen(open: ListedRun[], reading: Reading): Promise<ListedRun[]> {
  const period = periodOfRuns(open)
  if (!period) return []
  const { items } = await reading.page(period)
  const left = without(open, items).slice(0, mostSingle)
  const single = await Promise.all(left.map(({ id }) => reading.one(id)))
  return [...items, ...single.filter((run) => run !== undefined)]
}

function without(runs: readonly ListedRun[], known: readonly ListedRun[]): ListedRun[] {
  const ids = new Set(known.map(({ id }) => id))
  return runs.filter(({ id }) => !ids.has(id))
}
