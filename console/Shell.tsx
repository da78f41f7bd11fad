import { useQuery } from '@tanstack/react-query'
import { Link, Outlet, useMatches } from '@tanstack/react-router'
import { to } from './addresses.ts'
import { api } from './api/client.ts'
import { Notices } from './design/Notices.tsx'
import { AccountMenu } from './parts/AccountMenu.tsx'
import { ConnectionBar } from './parts/ConnectionBar.tsx'
import { OwnerMenu } from './parts/OwnerMenu.tsx'
import { Shortcuts } from './parts/Shortcuts.tsx'
import { SignInAgain } from './parts/SignInAgain.tsx'
import { useOwner } from './session/workspace.ts'
import styles from './Shell.module.css'

/** What surrounds every page of somebody who is signed in. */
export const Shell = () => {
  const owner = useOwner()
  const title = useMatches({ select: (matches) => matches.at(-1)?.staticData.title })
  return (
    <div className={styles.shell}>
      <a href="#content" className={styles.skip}>
        Skip to the content
      </a>
      <nav className={styles.side} aria-label="Pages">
        <OwnerMenu owner={owner} />
        <ul className={styles.pages}>
          <li>
            <Link {...to.home(owner.address)} activeOptions={{ exact: true }} className={styles.link}>
              Home
            </Link>
          </li>
          <li>
            <Link {...to.runs(owner.address)} className={styles.link}>
              Runs
            </Link>
          </li>
          <li>
            <Link {...to.agents(owner.address)} className={styles.link}>
              Agents
            </Link>
          </li>
          <li>
            <Link {...to.approvals(owner.address)} className={styles.link}>
              Approvals <PendingApprovals workspaceId={owner.query.workspaceId} />
            </Link>
          </li>
          <li>
            <Link {...to.sites(owner.address)} className={styles.link}>
              Sites
            </Link>
          </li>
        </ul>
        <AccountMenu />
      </nav>
      <div className={styles.content}>
        <ConnectionBar />
        <main id="content" tabIndex={-1} aria-label={title}>
          <Outlet />
        </main>
      </div>
      <Notices />
      <Shortcuts owner={owner.address} />
      <SignInAgain />
    </div>
  )
}

/** How many approvals wait. Read again every ten seconds, because a run waits for each. */
const PendingApprovals = ({ workspaceId }: { workspaceId: string | undefined }) => {
  const query = { status: 'pending' as const, limit: 100, ...(workspaceId === undefined ? {} : { workspaceId }) }
  const { data } = useQuery(api.queryOptions('get', '/approvals', { params: { query } }, { refetchInterval: 10_000 }))
  const count = data?.items.length ?? 0
  if (count === 0) return null
  return (
    <span className={styles.count}>
      {count === 100 ? '99+' : count}
      <span className={styles.spoken}> waiting</span>
    </span>
  )
}
