import { useQuery } from '@tanstack/react-query'
import { CatchNotFound, Link, Outlet, useMatches } from '@tanstack/react-router'
import { api } from './api/client.ts'
import { Icon } from './design/Icon.tsx'
import { Notices } from './design/Notices.tsx'
import { AccountMenu } from './parts/AccountMenu.tsx'
import { ConnectionBar } from './parts/ConnectionBar.tsx'
import { OwnerMenu } from './parts/OwnerMenu.tsx'
import { NotFoundPage } from './parts/pages.tsx'
import { Palette } from './parts/palette/Palette.tsx'
import { PaletteButton } from './parts/palette/PaletteButton.tsx'
import { Shortcuts } from './parts/Shortcuts.tsx'
import { SignInAgain } from './parts/SignInAgain.tsx'
import { placesOf, type Place } from './places.ts'
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
        <PaletteButton />
        <ul className={styles.pages}>
          {placesOf(owner.address).map((place) => (
            <li key={place.name}>
              <PlaceLink place={place}>
                {place.name === 'Approvals' && <PendingApprovals workspaceId={owner.query.workspaceId} />}
              </PlaceLink>
            </li>
          ))}
        </ul>
        <div className={styles.account}>
          <AccountMenu />
        </div>
      </nav>
      <div className={styles.content}>
        <main id="content" tabIndex={-1} aria-label={title}>
          <CatchNotFound fallback={() => <NotFoundPage />}>
            <Outlet />
          </CatchNotFound>
        </main>
      </div>
      <Notices>
        <ConnectionBar />
      </Notices>
      <Palette owner={owner} />
      <Shortcuts owner={owner.address} />
      <SignInAgain />
    </div>
  )
}

const PlaceLink = ({ place, children }: { place: Place; children: React.ReactNode }) => (
  <Link {...place.link} activeOptions={{ exact: place.name === 'Home' }} className={styles.link}>
    <Icon name={place.icon} />
    <span className={styles.name}>{place.name}</span>
    {children}
  </Link>
)

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
