import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, notFound } from '@tanstack/react-router'
import { to } from '../../../addresses.ts'
import { api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { Page as Frame } from '../../../parts/Page.tsx'
import { shownText } from '../../../parts/shown-text.ts'
import { Skeleton } from '../../../parts/Skeleton.tsx'
import { useOwner } from '../../../session/workspace.ts'
import styles from './Changes.module.css'
import { CheckNow } from './CheckNow.tsx'
import { History } from './History.tsx'
import { Pending } from './Pending.tsx'

const route = getRouteApi('/signed-in/w/$owner/sites/$entryId/changes')

/** How a site changed what it says about itself: the change that waits, and those before it. */
export const Page = () => {
  const { entryId } = route.useParams()
  return <ChangesPage key={entryId} entryId={entryId} />
}

const ChangesPage = ({ entryId }: { entryId: string }) => {
  const owner = useOwner()
  const params = { path: { entryId } }
  const entry = useQuery(api.queryOptions('get', '/vault/{entryId}', { params }))
  const tools = useQuery(api.queryOptions('get', '/vault/{entryId}/tools', { params }))
  const changes = useQuery(
    api.queryOptions('get', '/vault/{entryId}/manifest-changes', { params: { ...params, query: { limit: 50 } } }),
  )
  const error = entry.error ?? tools.error ?? changes.error
  if (error && problemOf(error).code === 'NOT_FOUND') throw notFound()
  const isRead = entry.data !== undefined && tools.data !== undefined && changes.data !== undefined
  const retry = () => void Promise.all([entry.refetch(), tools.refetch(), changes.refetch()])
  const pending = changes.data?.items.find(({ status }) => status === 'pending')
  const names = tools.data?.items.map(({ name }) => name) ?? []
  return (
    <Frame
      title="Changes of the site"
      place={owner.name}
      actions={owner.may('build') && <CheckNow entryId={entryId} />}
      above={
        <Link {...to.site(owner.address, entryId)} className="stranger">
          {entry.data ? shownText(entry.data.name) : 'Site'}
        </Link>
      }
    >
      {isRead ? (
        <>
          {pending ? (
            <Pending key={pending.fingerprint} entry={entry.data} change={pending} names={names} owner={owner} />
          ) : (
            <p className={styles.quiet}>
              No change waits. Switchyard reads once a day what the site says about its tools. A change that breaks
              nothing is used at once, and any other waits here until somebody accepts it.
            </p>
          )}
          <History changes={changes.data.items.filter(({ status }) => status !== 'pending')} names={names} />
        </>
      ) : error ? (
        <ErrorBox error={error} onRetry={retry} />
      ) : (
        <Skeleton lines={8} height={40} />
      )}
    </Frame>
  )
}
