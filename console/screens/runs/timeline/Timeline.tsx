import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { startTransition, useCallback, useMemo, useRef, useState } from 'react'
import { client } from '../../../api/client.ts'
import { Button } from '../../../design/Button.tsx'
import { withToggled } from '../../../lists/selection.ts'
import { useNow } from '../../../parts/clock.ts'
import { durationInWords } from '../../../parts/format.ts'
import { useShortcuts } from '../../../parts/useShortcuts.ts'
import type { Snapshot } from './buffer.ts'
import { Axis } from './Axis.tsx'
import { BarRow } from './BarRow.tsx'
import { createEventReader, type ReadPage } from './event-reader.ts'
import type { Bar } from './building.ts'
import { scaleOf, type Scale } from './idle.ts'
import styles from './Timeline.module.css'

interface TimelineProps {
  runId: string
  snapshot: Snapshot
}

const rowHeight = 36
/** About the height of an open row, until it is measured. */
const openHeight = 200

/** The waterfall: a row for each step, call and wait, on one line of time. */
export const Timeline = ({ runId, snapshot: { bars, writing, hasEnded } }: TimelineProps) => {
  const tick = useNow(!hasEnded)
  const [readEvent] = useState(() => createEventReader(pagesOf(runId)))
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const list = useRef<HTMLOListElement>(null)
  // A run that has ended does not change with the clock.
  const now = hasEnded ? (bars.at(-1)?.to ?? tick) : tick
  const scale = useMemo(() => scaleOf(bars, now), [bars, now])
  const isOpen = (index: number) => opened.has(bars[index]?.id ?? '')
  const rows = useWindowVirtualizer({
    count: bars.length,
    estimateSize: (index) => (isOpen(index) ? openHeight : rowHeight),
    overscan: 4,
    useFlushSync: false,
    // A row has two heights. With another function, all rows are measured again.
    getItemKey: useCallback((index: number) => heightKey(bars[index], opened), [bars, opened]),
    scrollMargin: list.current?.offsetTop ?? 0,
  })

  function move(from: number, by: number): void {
    const next = Math.min(bars.length - 1, Math.max(0, from + by))
    rows.scrollToIndex(next, { align: 'auto' })
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus())
  }

  /** From the row with the focus; without one, to the first row. */
  function moveBy(by: number): void {
    const row = list.current?.contains(document.activeElement) ? document.activeElement : null
    const from = row?.closest<HTMLElement>('[data-index]')?.dataset['index']
    if (from === undefined) move(0, 0)
    else move(Number(from), by)
  }

  const toggle = useCallback((id: string) => setOpened((before) => withToggled(before, id)), [])
  const isAllOpen = bars.length > 0 && opened.size === bars.length
  // Many rows are drawn, while the page keeps answering.
  const setAll = () => startTransition(() => setOpened(new Set(isAllOpen ? [] : bars.map(({ id }) => id))))
  useShortcuts([
    { keys: 'j', does: 'Next row', run: () => moveBy(1) },
    { keys: 'k', does: 'Previous row', run: () => moveBy(-1) },
    { keys: 'e', does: 'Open or close all rows', run: setAll },
  ])
  return (
    <section aria-label="Timeline">
      <div className={styles.bar}>
        <h2>Timeline</h2>
        <span className={styles.quiet}>
          {`${durationInWords(scale.to - scale.from)} with the queue${scale.gaps.length > 0 ? ', idle time shortened' : ''}`}
        </span>
        <span className={styles.keys}>
          <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>e</kbd> all
        </span>
        <Button small kind="quiet" onPress={setAll}>
          {isAllOpen ? 'Close all' : 'Open all'}
        </Button>
      </div>
      <Axis scale={scale} />
      <div className={styles.rows}>
        <Gaps gaps={scale.gaps} />
        <ol ref={list} className={styles.list} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const bar = bars[index]
            if (!bar) return null
            return (
              <BarRow
                key={bar.id}
                ref={rows.measureElement}
                runId={runId}
                readEvent={readEvent}
                index={index}
                top={start - rows.options.scrollMargin}
                bar={bar}
                scale={scale}
                now={now}
                isOpen={isOpen(index)}
                writing={
                  bar.kind === 'step' && bar.to === null && writing?.step === bar.step ? writing.text : undefined
                }
                onToggle={toggle}
              />
            )
          })}
        </ol>
      </div>
    </section>
  )
}

const pagesOf =
  (runId: string): ReadPage =>
  async (after, limit) => {
    const params = { path: { runId }, query: { after, limit } }
    const { data, error } = await client.GET('/runs/{runId}/events', { params })
    if (!data) throw error
    return data.items
  }

const heightKey = (bar: Bar | undefined, opened: ReadonlySet<string>): string =>
  bar && opened.has(bar.id) ? `${bar.id} open` : (bar?.id ?? '')

/** The collapsed times, drawn once behind all rows. */
const Gaps = ({ gaps }: Pick<Scale, 'gaps'>) => (
  <div className={styles.gaps} aria-hidden="true">
    <div className={styles.marks}>
      {gaps.map(({ from, start, end }) => (
        <span
          key={from}
          className={styles.gap}
          style={{ insetInlineStart: `${start * 100}%`, width: `${(end - start) * 100}%` }}
        />
      ))}
    </div>
  </div>
)
