import { Button } from './Button.tsx'
import { closeNotice, useNotices } from './notices.ts'
import styles from './Notices.module.css'

/** The region of notices. Screen readers read it when something is added. */
export const Notices = () => (
  <div className={styles.region} role="status" aria-live="polite">
    {useNotices().map(({ id, kind, text }) => (
      <div key={id} className={`${styles.notice} ${styles[kind]}`}>
        <span className="stranger">{text}</span>
        <Button kind="quiet" small aria-label="Close the notice" onPress={() => closeNotice(id)}>
          ✕
        </Button>
      </div>
    ))}
  </div>
)
