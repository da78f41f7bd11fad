import styles from './Skeleton.module.css'

/** The shape of what is being read, in its height, so that nothing moves when it arrives. */
export const Skeleton = ({ lines = 3, height = 20 }: { lines?: number; height?: number }) => (
  <div className={styles.skeleton} role="status" aria-label="Loading">
    {Array.from({ length: lines }, (_, line) => (
      <div key={line} style={{ height, width: `${92 - ((line * 17) % 40)}%` }} />
    ))}
  </div>
)
