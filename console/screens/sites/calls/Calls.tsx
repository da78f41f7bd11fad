import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, notFound } from '@tanstack/react-router'
import { to } from '../../../addresses.ts'
import { api, type Api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import { Empty } from '../../../parts/Empty.tsx'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { NearEnd } from '../../../parts/NearEnd.tsx'
import { Page as Frame } from '../../../parts/Page.tsx'
import { RowSkeleton } from '../../../parts/RowSkeleton.tsx'
import { shownText } from '../../../parts/shown-text.ts'
import { Badge } from '../../../parts/Status.tsx'
import { When } from '../../../parts/When.tsx'
import { useOwner } from '../../../session/workspace.ts'
import { callState } from './call-words.ts'
import styles from './Calls.module.css'
import { useCalls } from './useCalls.ts'

const route = getRouteApi('/signed-in/w/$owner/sites/$entryId/calls')

/** The calls that people and programs made at a site without an agent. */
export const Page = () => {
  const { entryId } = route.useParams()
  const owner = useOwner()
  const params = { path: { entryId } }
  const entry = useQuery(api.queryOptions('get', '/vault/{entryId}', { params }))
  if (entry.error && problemOf(entry.error).code === 'NOT_FOUND') throw notFound()
  return (
    <Frame
      title="Direct calls"
      place={owner.name}
      above={
        <Link {...to.site(owner.address, entryId)} className="stranger">
          {entry.data ? shownText(entry.data.name) : 'Site'}
        </Link>
      }
    >
      <List key={entryId} entryId={entryId} owner={owner.address} />
    </Frame>
  )
}

const List = ({ entryId, owner }: { entryId: string; owner: string }) => {
  const { calls, error, more, retry } = useCalls(entryId)
  if (!calls) return error ? <ErrorBox error={error} onRetry={retry} /> : <RowSkeleton height={40} rows={8} />
  if (calls.length === 0)
    return (
      <Empty title="No tool was called directly">
        <p>
          Calls that you make on the page of a tool, or by the API, are listed here for 90 days. The calls of agents are
          on the timelines of their runs.
        </p>
        <Link {...to.site(owner, entryId)}>See the site’s tools</Link>
      </Empty>
    )
  return (
    <>
      <ul className={styles.list}>
        {calls.map((call) => (
          <CallRow key={call.id} call={call} entryId={entryId} owner={owner} />
        ))}
      </ul>
      {more && <NearEnd key={calls.length} onNear={more} />}
    </>
  )
}

const CallRow = ({ call, entryId, owner }: { call: Api['ToolCallSummary']; entryId: string; owner: string }) => {
  const { word, tone } = callState[call.status]
  return (
    <li>
      <Link {...to.call(owner, entryId, call.id)} className={styles.row}>
        <span>
          <Badge tone={tone}>{word}</Badge>
        </span>
        <code className="stranger">{shownText(call.tool)}</code>
        <span className={styles.quiet}>
          <When at={call.startedAt} />
        </span>
      </Link>
    </li>
  )
}
