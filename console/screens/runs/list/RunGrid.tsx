import { defaultRangeExtractor, useWindowVirtualizer } from '@tanstack/react-virtual'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useCallback, useMemo, useState, type KeyboardEvent, type MouseEvent, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import { to } from '../../../addresses.ts'
import type { Api } from '../../../api/client.ts'
import { withRow } from '../../../lists/place-in-list.ts'
import { actionOfKey } from '../../../lists/row-keys.ts'
import type { ListedRun } from '../../../lists/run-list.ts'
import { useShortcuts } from '../../../parts/useShortcuts.ts'
import { all, extended, none, toggled, type Selection } from '../../../lists/selection.ts'
import { RunRow } from './RunRow.tsx'
import styles from './RunGrid.module.css'

interface RunGridProps {
  grid: RefObject<HTMLDivElement | null>
  rows: readonly ListedRun[]
  isWhole: boolean
  rowHeight: number
  owner: string
  agents: ReadonlyMap<string, Api['AgentSummary']>
  selection: Selection
  /** Absent if the reader may change nothing. */
  onSelect: ((selection: Selection) => void) | undefined
}

/**
 * The rows that the window shows, of any number. One row has the tab stop, and keys move it. Rows are a grid and not a
 * list of options, because they contain links and columns.
 */
export const RunGrid = ({ grid, rows, isWhole, rowHeight, owner, agents, selection, onSelect }: RunGridProps) => {
  const navigate = useNavigate()
  const router = useRouter()
  const runs = useMemo(() => router.buildLocation(to.runs(owner)).publicHref, [router, owner])
  const [activeId, setActive] = useState<string>()
  const [top, setTop] = useState(0)
  const measured = useCallback((element: HTMLDivElement | null) => setTop(element?.offsetTop ?? 0), [])
  const at = useMemo(
    () =>
      Math.max(
        0,
        rows.findIndex(({ id }) => id === activeId),
      ),
    [rows, activeId],
  )
  const virtual = useWindowVirtualizer<HTMLDivElement>({
    count: rows.length,
    estimateSize: () => rowHeight,
    // With another function, all rows are measured again.
    getItemKey: useCallback((index: number) => rows[index]?.id ?? index, [rows]),
    overscan: 4,
    useFlushSync: false,
    scrollMargin: top,
    rangeExtractor: (range) => withRow(defaultRangeExtractor(range), at, rows.length),
  })

  const focusRow = (index: number) => {
    const id = rows[index]?.id
    flushSync(() => setActive(id))
    const row = rowOf(grid.current, id)
    row?.scrollIntoView({ block: 'nearest' })
    row?.focus({ preventScroll: true })
  }
  const open = (id: string) => void navigate(to.run(owner, id))

  // Keys that the list hears itself come here only while something else has the focus.
  const enter = () => focusRow(at)
  useShortcuts([
    { keys: 'j', does: 'Next run', run: enter },
    { keys: 'k', does: 'Previous run', run: enter },
  ])

  const onKeyDown = (event: KeyboardEvent) => {
    const action = actionOfKey(event, { at, count: rows.length, perPage: Math.floor(innerHeight / rowHeight) - 3 })
    const id = rows[at]?.id
    if (!action || id === undefined) return
    event.preventDefault()
    if (action.kind === 'open') open(id)
    else if (action.kind === 'move') {
      const target = rows[action.to]?.id
      if (action.extends && target !== undefined) onSelect?.(extended(selection, rows, target, id))
      focusRow(action.to)
    } else if (action.kind === 'extend') onSelect?.(extended(selection, rows, id))
    else if (action.kind === 'toggle') onSelect?.(toggled(selection, id))
    else onSelect?.(action.kind === 'all' ? all : none)
  }
  const onClick = (event: MouseEvent<HTMLElement>) => {
    const target = event.target as HTMLElement
    const id = target.closest<HTMLElement>('[data-run]')?.dataset['run']
    if (id === undefined) return
    if (onSelect && (event.shiftKey || target.closest('[data-mark]') !== null))
      onSelect(event.shiftKey ? extended(selection, rows, id) : toggled(selection, id))
    else if (opensHere(event) && target.closest('a') !== null) open(id)
    else return
    event.preventDefault()
  }
  return (
    <div
      ref={grid}
      role="grid"
      aria-label="Runs"
      aria-rowcount={isWhole ? rows.length + 1 : -1}
      aria-multiselectable={onSelect !== undefined}
      tabIndex={-1}
      className={`${styles.grid} ${onSelect ? '' : styles.fixed}`}
      onKeyDown={onKeyDown}
      onClickCapture={onClick}
      onFocus={({ target }) => setActive(target.closest<HTMLElement>('[data-run]')?.dataset['run'])}
    >
      <Head />
      <div ref={measured} role="rowgroup" className={styles.rows} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const run = rows[index]
          if (!run) return null
          return (
            <RunRow
              key={key}
              run={run}
              href={`${runs}/${run.id}`}
              agentName={agents.get(run.agentId)?.name ?? 'Deleted agent'}
              index={index}
              top={start - top}
              height={rowHeight}
              isActive={index === at}
              isSelected={selection.isAll || selection.ids.has(run.id)}
            />
          )
        })}
      </div>
    </div>
  )
}

/** With a key held, a browser opens the link elsewhere. */
const opensHere = ({ ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): boolean =>
  !ctrlKey && !metaKey && !shiftKey && !altKey

const rowOf = (grid: HTMLElement | null, id: string | undefined) =>
  id === undefined ? undefined : grid?.querySelector<HTMLElement>(`[data-run="${CSS.escape(id)}"]`)

const Head = () => (
  <div role="rowgroup" className={styles.head}>
    <div role="row" aria-rowindex={1} className={styles.names}>
      {columns.map(({ name, className }) => (
        <div key={name} role="columnheader" className={className}>
          {name === 'Selection' ? <span className={styles.spoken}>{name}</span> : name}
        </div>
      ))}
    </div>
  </div>
)

const columns = [
  { name: 'Selection', className: styles.mark },
  { name: 'Status', className: styles.status },
  { name: 'Run', className: styles.what },
  { name: 'Started by', className: styles.by },
  { name: 'Steps', className: styles.count },
  { name: 'Calls', className: styles.count },
  { name: 'Credits', className: styles.count },
  { name: 'Duration', className: styles.took },
  { name: 'Accepted', className: styles.ago },
]
