import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { Empty } from '../../parts/Empty.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { NearEnd } from '../../parts/NearEnd.tsx'
import { Page as Frame } from '../../parts/Page.tsx'
import { RowSkeleton } from '../../parts/RowSkeleton.tsx'
import { useOwner, type Owner } from '../../session/workspace.ts'
import styles from './Sites.module.css'
import { SiteRow } from './SiteRow.tsx'
import { useSites, type Listed } from './useSites.ts'

/** The connected sites: who each is, how its login is, and who uses it. */
export const Page = () => {
  const owner = useOwner()
  const listed = useSites(owner)
  const isEmpty = listed.sites?.length === 0
  return (
    <Frame title="Sites" place={owner.name} actions={!isEmpty && owner.may('build') && <ConnectLink owner={owner} />}>
      <List key={owner.address} owner={owner} listed={listed} />
    </Frame>
  )
}

const ConnectLink = ({ owner }: { owner: Owner }) => (
  <Link {...to.connect(owner.address)} className={styles.primary}>
    Connect a site
  </Link>
)

const List = ({ owner, listed: { sites, error, more, retry } }: { owner: Owner; listed: Listed }) => {
  if (!sites) return error ? <ErrorBox error={error} onRetry={retry} /> : <RowSkeleton height={64} rows={5} />
  if (sites.length === 0) return <NoSites owner={owner} />
  return (
    <section aria-label="Connected sites">
      <div aria-hidden="true" className={styles.heads}>
        <span>Site</span>
        <span>Login</span>
        <span>Renewed</span>
        <span>Used by</span>
      </div>
      <ul className={styles.list}>
        {sites.map((entry) => (
          <SiteRow key={entry.id} entry={entry} owner={owner.address} />
        ))}
      </ul>
      {more && <NearEnd key={sites.length} onNear={more} />}
    </section>
  )
}

const NoSites = ({ owner }: { owner: Owner }) => (
  <Empty title="No site is connected">
    <p>
      A site offers tools, such as searching an issue tracker or sending a mail. Connect one, and your agents can call
      the tools that you choose. Its login is kept encrypted, and is never shown to a model.
    </p>
    {owner.may('build') ? (
      <ConnectLink owner={owner} />
    ) : (
      <p>Your role may not connect sites. Ask a member of the workspace.</p>
    )}
  </Empty>
)
