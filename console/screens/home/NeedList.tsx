import { useState } from 'react'
import type { Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { Empty } from '../../parts/Empty.tsx'
import { countInWords } from '../../parts/format.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { useShortcuts } from '../../parts/useShortcuts.ts'
import type { Owner } from '../../session/workspace.ts'
import styles from './Home.module.css'
import { NeedRow } from './NeedRow.tsx'
import { steadyRows } from './steady.ts'

type Need = Api['Need']

/** What needs the reader. Rows keep their places until the reader wants the new ones. */
export const NeedList = ({ needs, owner }: { needs: readonly Need[]; owner: Owner }) => {
  const [shown, show] = useState(needs)
  if (shown.length === 0 && needs.length > 0) show(needs)
  const { rows, arrived } = steadyRows(shown, needs)
  const showAll = () => show(needs)
  useShortcuts(arrived > 0 ? [{ keys: '.', does: 'Show what arrived', run: showAll }] : [])
  return (
    <section className={styles.section} aria-labelledby="needs">
      <header className={styles.heading}>
        <h2 id="needs">Needs you</h2>
        <span role="status" className={styles.arrived}>
          {arrived > 0 && (
            <Button small onPress={showAll}>
              Show {countInWords(arrived, 'more')}
            </Button>
          )}
        </span>
      </header>
      {needs.length === 0 && rows.every(({ isOver }) => isOver) ? (
        <Nothing />
      ) : (
        <ul className={styles.list}>
          {rows.map((row) => (
            <NeedRow key={row.key} row={row} owner={owner} />
          ))}
        </ul>
      )}
    </section>
  )
}

const Nothing = () => (
  <Empty title="Nothing needs you">
    <p>
      Approvals, blocked and failing agents, missing deliveries and credentials that end soon will appear here. This
      page stays up to date.
    </p>
  </Empty>
)

export const NeedsSkeleton = () => (
  <section className={styles.section}>
    <header className={styles.heading}>
      <h2>Needs you</h2>
    </header>
    <Skeleton lines={3} height={64} />
  </section>
)
