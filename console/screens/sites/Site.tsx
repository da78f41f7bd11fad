import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, notFound } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api, type Api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { useNow } from '../../parts/clock.ts'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Page as Frame } from '../../parts/Page.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { Badge } from '../../parts/Status.tsx'
import { useOwner, type Owner } from '../../session/workspace.ts'
import { Agents } from './Agents.tsx'
import { ChangeChoice } from './choice/ChangeChoice.tsx'
import { loginState } from './login-words.ts'
import { Notes } from './Notes.tsx'
import { Refreshes } from './Refreshes.tsx'
import { Proposals } from './Proposals.tsx'
import styles from './Site.module.css'
import { SiteActions } from './SiteActions.tsx'
import { SiteFacts } from './SiteFacts.tsx'
import { ToolList } from './ToolList.tsx'

const route = getRouteApi('/signed-in/w/$owner/sites/$entryId')

/** One connection: how its login is, what the site can do, who uses it, and what happened to its login. */
export const Page = () => {
  const { entryId } = route.useParams()
  return <SitePage key={entryId} entryId={entryId} />
}

const SitePage = ({ entryId }: { entryId: string }) => {
  const owner = useOwner()
  const params = { path: { entryId } }
  const {
    data: entry,
    error,
    refetch,
  } = useQuery(api.queryOptions('get', '/vault/{entryId}', { params }, { refetchInterval: 10_000 }))
  if (error && ['NOT_FOUND', 'WORKSPACE_REQUIRED'].includes(problemOf(error).code)) throw notFound()
  if (!entry)
    return (
      <Frame title="Site" above={<Link {...to.sites(owner.address)}>Sites</Link>}>
        {error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} height={36} />}
      </Frame>
    )
  return (
    <Frame
      title={shownText(entry.name)}
      place={owner.name}
      above={<Link {...to.sites(owner.address)}>Sites</Link>}
      actions={<SiteActions entry={entry} owner={owner} />}
    >
      <Line entry={entry} />
      <Notes entry={entry} owner={owner} />
      <SiteFacts entry={entry} />
      <Tools entry={entry} owner={owner} />
      <Agents entry={entry} owner={owner} />
      {entry.authType === 'oauth2' && <Refreshes entryId={entry.id} />}
    </Frame>
  )
}

const Line = ({ entry }: { entry: Api['VaultEntry'] }) => {
  const { word, tone, beside } = loginState(entry, useNow())
  return (
    <div className={styles.line}>
      <Badge tone={tone}>{word}</Badge>
      <span className="stranger">
        {entry.origin} · {beside}
      </span>
    </div>
  )
}

const Tools = ({ entry, owner }: { entry: Api['VaultEntry']; owner: Owner }) => {
  const params = { path: { entryId: entry.id } }
  const { data, error, refetch } = useQuery(api.queryOptions('get', '/vault/{entryId}/tools', { params }))
  return (
    <section className={styles.section} aria-labelledby="tools">
      <header className={styles.heading}>
        <h2 id="tools">Tools</h2>
        <span className={styles.links}>
          <Link {...to.siteChanges(owner.address, entry.id)}>Changes</Link>
          <Link {...to.calls(owner.address, entry.id)}>Direct calls</Link>
        </span>
      </header>
      {data ? (
        <>
          {entry.offersChoice && owner.may('build') && <ChangeChoice entry={entry} tools={data.items} />}
          {owner.may('build') && <Proposals tools={data.items} entryId={entry.id} />}
          <ToolList
            tools={data.items}
            {...(owner.may('use') && { callFrom: { owner: owner.address, entryId: entry.id } })}
            {...(owner.may('build') && { confirmFor: entry.id })}
          />
        </>
      ) : error ? (
        <ErrorBox error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={5} height={40} />
      )}
    </section>
  )
}
