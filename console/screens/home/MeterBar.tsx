import type { Meter } from './figures.ts'
import styles from './MeterBar.module.css'

/** A bar with its sentence. */
export const MeterBar = ({ meter: { share, usual, tone, words }, name }: { meter: Meter; name: string }) => (
  <div className={styles.meter}>
    <svg
      className={`${styles.bar} ${styles[tone]}`}
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      role="meter"
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(share * 100)}
      aria-valuetext={words}
    >
      <rect className={styles.track} width={100} height={6} />
      <rect className={styles.fill} width={share * 100} height={6} />
      {usual !== null && <rect className={styles.mark} x={usual * 100 - 0.5} width={1} height={6} />}
    </svg>
    <span className={styles.words}>{words}</span>
  </div>
)
