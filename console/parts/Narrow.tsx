import { useEffect, useRef, type ReactNode } from 'react'
import styles from './Narrow.module.css'

/** A page of one thing, in the middle: to sign in, and where mails lead. */
export const Narrow = ({ title, children }: { title: string; children: ReactNode }) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <main className={styles.page}>
      <title>{`${title} · Switchyard`}</title>
      <div className={styles.card}>
        <img src="/console/icon.svg" alt="" width={32} height={32} />
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children}
      </div>
    </main>
  )
}
