import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, notFound } from '@tanstack/react-router'
import { to } from '../../../addresses.ts'
import { api, type Api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { countInWords } from '../../../parts/format.ts'
import { Json } from '../../../parts/Json.tsx'
import { Page as Frame } from '../../../parts/Page.tsx'
import { shownText } from '../../../parts/shown-text.ts'
import { Skeleton } from '../../../parts/Skeleton.tsx'
import { Badge } from '../../../parts/Status.tsx'
import { Duration, When } from '../../../parts/When.tsx'
import { useOwner, type Owner } from '../../../session/workspace.ts'
import { callState, meaningOf, remediesOf } from './call-words.ts'
import styles from './Calls.module.css'

const route = getRouteApi('/signed-in/w/$owner/sites/$entryId/calls/$callId')

/** One direct call: what was sent, what came of it, and what to do if that is not known. */
export const Page = () => {
  const { entryId, callId } = route.useParams()
  const owner = useOwner()
  const params = { path: { entryId, callId } }
  const {
    data: call,
    error,
    refetch,
  } = useQuery(
    api.queryOptions(
      'get',
      '/vault/{entryId}/calls/{callId}',
      { params },
      { refetchInterval: ({ state }) => (state.data?.endedAt === null ? 2000 : false) },
    ),
  )
  if (error && problemOf(error).code === 'NOT_FOUND') throw notFound()
  return (
    <Frame
      title={call ? `Call of ${shownText(call.tool)}` : 'Call'}
      place={owner.name}
      above={<Link {...to.calls(owner.address, entryId)}>Direct calls</Link>}
    >
      {call ? (
        <Record call={call} entryId={entryId} owner={owner} />
      ) : error ? (
        <ErrorBox error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={6} height={40} />
      )}
    </Frame>
  )
}

const Record = ({ call, entryId, owner }: { call: Api['ToolCall']; entryId: string; owner: Owner }) => {
  const { word, tone } = callState[call.status]
  return (
    <>
      <div className={styles.line} aria-live="polite">
        <Badge tone={tone}>{word}</Badge>
        <span>{meaningOf(call)}</span>
      </div>
      <Doubt call={call} entryId={entryId} owner={owner} />
      <dl className={styles.facts}>
        <div>
          <dt>Sent</dt>
          <dd>
            <When at={call.startedAt} />
          </dd>
        </div>
        <div>
          <dt>Took</dt>
          <dd>
            <Duration from={call.startedAt} to={call.endedAt} />
          </dd>
        </div>
        <div>
          <dt>The site answered</dt>
          <dd>{call.siteStatus === null ? 'nothing' : `HTTP ${call.siteStatus}`}</dd>
        </div>
        <div>
          <dt>Attempts</dt>
          <dd>{call.attempts === 0 ? 'none' : countInWords(call.attempts, 'attempt')}</dd>
        </div>
      </dl>
      <section className={styles.section}>
        <h2>Arguments</h2>
        <Json value={call.arguments} name="arguments" />
      </section>
      {call.result !== null && (
        <section className={styles.section}>
          <h2>{call.status === 'succeeded' ? 'Result' : 'What happened'}</h2>
          <Json value={call.result} name="result" />
        </section>
      )}
      {call.status !== 'unknown' && owner.may('use') && (
        <p>
          <Link {...to.tool(owner.address, entryId, call.tool, call.id)}>Call it again with these arguments</Link>
        </p>
      )}
    </>
  )
}

/** An outcome that nobody knows, and what one can do. */
const Doubt = ({ call, entryId, owner }: { call: Api['ToolCall']; entryId: string; owner: Owner }) => {
  const remedies = remediesOf(call)
  if (remedies.length === 0) return null
  return (
    <section className={styles.doubt} aria-labelledby="remedies">
      <h2 id="remedies">What you can do</h2>
      <ol>
        {remedies.map((remedy) => (
          <li key={remedy}>{remedy}</li>
        ))}
      </ol>
      <p className={styles.buttons}>
        <Link {...to.site(owner.address, entryId)} className={styles.button}>
          See the site’s tools
        </Link>
        {owner.may('use') && (
          <Link {...to.tool(owner.address, entryId, call.tool, call.id)} className={styles.button}>
            Prepare the same call
          </Link>
        )}
      </p>
    </section>
  )
}
