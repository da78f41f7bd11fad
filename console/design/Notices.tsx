import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { closeNotice, useNotices } from './notices.ts'
import styles from './Notices.module.css'

/**
 * The region of notices, with `children` above them. Screen readers read it when something is added. An open dialog
 * hides all around it from them, and React Aria leaves out what has this mark.
 */
export const Notices = ({ children }: { children?: ReactNode }) => (
  <div className={styles.region} role="status" aria-live="polite" data-react-aria-top-layer="">
    {children}
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
