import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import type { Owner } from '../../session/workspace.ts'
import type { InboxSearch } from './inbox.ts'
import styles from './Inbox.module.css'

const tabs = [
  { show: undefined, text: 'Waiting' },
  { show: 'decided', text: 'Decided' },
] as const

/** Two lists with an address each. */
export const InboxTabs = ({ owner, show }: { owner: Owner; show: InboxSearch['show'] }) => (
  <nav aria-label="Lists of approvals" className={styles.tabs}>
    {tabs.map((tab) => (
      <Link
        key={tab.text}
        {...to.approvals(owner.address, undefined, tab.show)}
        aria-current={tab.show === show ? 'page' : undefined}
        className={styles.tab}
      >
        {tab.text}
      </Link>
    ))}
  </nav>
)
