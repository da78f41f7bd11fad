import styles from './RowSkeleton.module.css'

/** Rows that are being read, in their height. */
export const RowSkeleton = ({ height, rows = 12 }: { height: number; rows?: number }) => (
  <div className={styles.rows} role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => (
      <div key={row} className={styles.row} style={{ height }}>
        <span style={{ width: 72 }} />
        <span style={{ width: `${30 + ((row * 13) % 35)}%` }} />
      </div>
    ))}
  </div>
)
