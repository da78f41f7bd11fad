import { memo, type CSSProperties } from 'react'
import type { ListedRun } from '../../../lists/run-list.ts'
import { useNow } from '../../../parts/clock.ts'
import { durationInWords, numberInWords } from '../../../parts/format.ts'
import { reasonOf, startedBy, workedMs } from '../../../parts/run-words.ts'
import { shownText } from '../../../parts/shown-text.ts'
import { Status } from '../../../parts/Status.tsx'
import { Ago } from '../../../parts/When.tsx'
import styles from './RunGrid.module.css'

interface RunRowProps {
  run: ListedRun
  /** The address of its page. */
  href: string
  agentName: string
  index: number
  /** In pixels, from the top of the rows. */
  top: number
  height: number
  isActive: boolean
  isSelected: boolean
}

/**
 * A run in one line, or in two on a phone. The grid handles keys and clicks, so that rows need no functions: a link of
 * the router costs more than the rest of its row.
 */
export const RunRow = memo(({ run, href, agentName, index, top, height, isActive, isSelected }: RunRowProps) => {
  const reason = reasonOf(run)
  const place: CSSProperties = { height, transform: `translateY(${top}px)` }
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isSelected}
      data-run={run.id}
      tabIndex={isActive ? 0 : -1}
      className={styles.row}
      style={place}
    >
      <div role="gridcell" className={styles.mark} data-mark="" aria-label={isSelected ? 'Selected' : 'Not selected'}>
        <span className={styles.box} aria-hidden="true" />
      </div>
      <div role="gridcell" className={styles.status}>
        <Status status={run.status} />
      </div>
      <div role="gridcell" className={styles.what}>
        <a href={href} tabIndex={-1} className={styles.agent}>
          <span className="stranger">{shownText(agentName)}</span>{' '}
          <span className={styles.number}>#{run.sequence}</span>
        </a>
        {reason !== undefined && <span className={`${styles.reason} stranger`}>{shownText(reason)}</span>}
      </div>
      <div role="gridcell" className={styles.by}>
        {startedBy(run)}
      </div>
      <div role="gridcell" className={styles.count}>
        {numberInWords(run.steps)}
      </div>
      <div role="gridcell" className={styles.count}>
        {numberInWords(run.toolCalls)}
      </div>
      <div role="gridcell" className={styles.count}>
        {numberInWords(run.credits)}
      </div>
      <div role="gridcell" className={styles.took}>
        <Worked run={run} />
      </div>
      <div role="gridcell" className={styles.ago}>
        <Ago at={run.acceptedAt} />
      </div>
    </div>
  )
})

const Worked = ({ run }: { run: ListedRun }) => {
  const ms = workedMs(run, useNow(run.endedAt === null))
  return <>{ms === undefined ? '–' : durationInWords(ms)}</>
}
