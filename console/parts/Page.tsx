import { useEffect, useRef, type ReactNode } from 'react'
import styles from './Page.module.css'

interface PageProps {
  title: string
  /** Where the page is, for its name in the tab: the workspace or the account. */
  place?: string
  above?: ReactNode
  actions?: ReactNode
  children: ReactNode
}

/** A page with its heading, which gets the focus, so that screen readers announce it after a navigation. */
export const Page = ({ title, place, above, actions, children }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus({ preventScroll: true }), [])
  return (
    <div className={styles.page}>
      <title>{[title, place, 'Switchyard'].filter(Boolean).join(' · ')}</title>
      {above}
      <header className={styles.header}>
        <h1 ref={heading} tabIndex={-1} className="stranger">
          {title}
        </h1>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}
