import type { ReactNode } from 'react'
import type { Api } from '../../api/client.ts'
import { useNow } from '../../parts/clock.ts'
import { approvalsNow, creditsMeter, creditsNow, runsNow, runsToday, type Figure } from './figures.ts'
import styles from './Figures.module.css'
import { MeterBar } from './MeterBar.tsx'

type Needs = Pick<Api['Needs'], 'approvals' | 'credits' | 'runs'>

/** What is going on, in a quiet line. */
export const Figures = ({ needs: { approvals, credits, runs } }: { needs: Needs }) => {
  const meter = creditsMeter(credits)
  return (
    <dl className={styles.figures}>
      <Cell name="Runs" figure={runsNow(runs)} />
      <Cell name="Today" figure={runsToday(runs)} />
      <Cell name="Approvals" figure={approvalsNow(approvals, useNow())} />
      <Cell name="Credits" figure={creditsNow(credits)}>
        {meter && <MeterBar meter={meter} name="Credits" />}
      </Cell>
    </dl>
  )
}

interface CellProps {
  name: string
  figure: Figure
  children?: ReactNode
}

const Cell = ({ name, figure: { value, beside }, children }: CellProps) => (
  <div className={styles.cell}>
    <dt>{name}</dt>
    <dd className={styles.value}>{value}</dd>
    <dd className={styles.beside}>{beside}</dd>
    {children && <dd>{children}</dd>}
  </div>
)

/** The same height, so that nothing moves when the figures arrive. */
export const FiguresSkeleton = () => (
  <div className={styles.figures} role="status" aria-label="Loading">
    {['Runs', 'Today', 'Approvals', 'Credits'].map((name) => (
      <div key={name} className={`${styles.cell} ${styles.empty}`} />
    ))}
  </div>
)
