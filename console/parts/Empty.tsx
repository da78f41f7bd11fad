import type { ReactNode } from 'react'
import styles from './Empty.module.css'

/** What a list says when it is empty: why, and what fills it. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className={styles.empty}>
    <h2>{title}</h2>
    {children}
  </div>
)
