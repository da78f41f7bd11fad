import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { to } from '../../../addresses.ts'
import type { Api } from '../../../api/client.ts'
import { filtersInWords } from '../../../lists/filter-words.ts'
import { shownRows } from '../../../lists/place-in-list.ts'
import type { View } from '../../../lists/read-again.ts'
import { isFiltered, type RunFilters } from '../../../lists/run-filters.ts'
import { isEmpty, none } from '../../../lists/selection.ts'
import { useRunList } from '../../../lists/use-run-list.ts'
import { useNow } from '../../../parts/clock.ts'
import { Empty } from '../../../parts/Empty.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { NearEnd } from '../../../parts/NearEnd.tsx'
import { useIsNarrow } from '../../../parts/narrow.ts'
import { RowSkeleton } from '../../../parts/RowSkeleton.tsx'
import type { Owner } from '../../../session/workspace.ts'
import { Bar } from './Bar.tsx'
import { RunGrid } from './RunGrid.tsx'

interface RunListProps {
  owner: Owner
  filters: RunFilters
  /** Undefined while they are being read: without their names, the rows would move later. */
  agents: ReadonlyMap<string, Api['AgentSummary']> | undefined
}

export const RunList = ({ owner, filters, agents }: RunListProps) => {
  const grid = useRef<HTMLDivElement>(null)
  const now = useNow()
  const [selection, select] = useState(none)
  const rowHeight = useIsNarrow() ? 64 : 40
  const view: View = {
    visible(rows) {
      const top = grid.current?.getBoundingClientRect().top ?? 0
      const { first, end } = shownRows(top, rowHeight, innerHeight)
      return rows.slice(first, end)
    },
    isReading: () =>
      (grid.current?.getBoundingClientRect().top ?? 0) < 0 ||
      (grid.current?.contains(document.activeElement) ?? false) ||
      !isEmpty(selection),
  }
  const { data: list, error, refetch, older, bringIn } = useRunList(owner, filters, view)
  if (!list || !agents)
    return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <RowSkeleton height={rowHeight} />
  if (list.rows.length === 0 && list.arrived.length === 0) return <NoRuns owner={owner} filters={filters} />

  const words = filtersInWords(filters, agents.get(filters.agentId ?? '')?.name, now)
  const showArrived = () => {
    bringIn()
    scrollTo({ top: 0 })
    grid.current?.focus({ preventScroll: true })
  }
  return (
    <div>
      <Bar
        owner={owner}
        filters={filters}
        words={words}
        list={list}
        selection={selection}
        onSelect={select}
        onBringIn={showArrived}
      />
      <RunGrid
        key={rowHeight}
        grid={grid}
        rows={list.rows}
        isWhole={list.next === null}
        rowHeight={rowHeight}
        owner={owner.address}
        agents={agents}
        selection={selection}
        onSelect={owner.may('use') ? select : undefined}
      />
      {older.error ? (
        <ErrorBox error={older.error} onRetry={() => older.mutate()} />
      ) : (
        list.next !== null && <NearEnd key={list.rows.length} onNear={() => older.mutate()} />
      )}
    </div>
  )
}

const NoRuns = ({ owner, filters }: Pick<RunListProps, 'owner' | 'filters'>) =>
  isFiltered(filters) ? (
    <Empty title="No runs match the filters">
      <p>Runs appear here as soon as they match. Ended runs are listed for 90 days.</p>
      <Link {...to.runs(owner.address)}>Show all runs</Link>
    </Empty>
  ) : (
    <Empty title="No runs yet">
      <p>A run appears here when a delivery arrives, when a schedule is due, or when somebody starts an agent.</p>
      {owner.may('build') && <Link {...to.start(owner.address)}>Start from a template</Link>}
    </Empty>
  )
