import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, notFound } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api, type Api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { Curl } from '../../parts/Curl.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { countInWords } from '../../parts/format.ts'
import { Json } from '../../parts/Json.tsx'
import { Page as Frame } from '../../parts/Page.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { When } from '../../parts/When.tsx'
import { useOwner } from '../../session/workspace.ts'
import { proofInWords, repetitionInWords, schemaInWords } from './delivery-words.ts'
import styles from './Deliveries.module.css'
import { headerPairs, Pairs } from './Pairs.tsx'

const route = getRouteApi('/signed-in/w/$owner/runs/$runId/delivery')

/** The delivery that started a run: did it arrive, why was it believed, and what did it say. */
export const Page = () => {
  const { runId } = route.useParams()
  const owner = useOwner()
  const params = { path: { runId } }
  const { data, error, refetch } = useQuery(api.queryOptions('get', '/runs/{runId}/delivery', { params }))
  if (error && ['RUN_NOT_FOUND', 'NOT_FOUND', 'WORKSPACE_REQUIRED'].includes(problemOf(error).code)) throw notFound()
  return (
    <Frame
      title="Delivery"
      place={owner.name}
      above={<Link {...to.run(owner.address, runId)}>Its run</Link>}
      actions={<Curl action={{ method: 'GET', path: `/runs/${runId}/delivery` }} />}
    >
      {data ? (
        <Record delivery={data} />
      ) : error ? (
        <ErrorBox error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={6} height={40} />
      )}
    </Frame>
  )
}

const Record = ({ delivery }: { delivery: Api['RunDelivery'] }) => {
  const owner = useOwner()
  const headers = headerPairs(delivery.headers)
  return (
    <>
      {delivery.replayOf !== null && (
        <p>
          {delivery.edited ? 'Replayed with an edited body.' : 'Replayed.'}{' '}
          <Link {...to.run(owner.address, delivery.replayOf)}>Open the replayed run</Link>
        </p>
      )}
      <Verdicts delivery={delivery} />
      <section className={styles.section} aria-labelledby="headers">
        <h2 id="headers">Headers</h2>
        {headers.length > 0 ? (
          <Pairs label="Headers" pairs={headers} />
        ) : (
          <p className={styles.quiet}>None are kept. Only those that the sender documents for its deliveries are.</p>
        )}
      </section>
      <section className={styles.section} aria-labelledby="body">
        <h2 id="body">Body</h2>
        <p className={styles.quiet}>
          {delivery.edited ? 'As edited' : 'As received'}, {countInWords(delivery.bodyBytes, 'byte')}
        </p>
        <Json value={delivery.body} name="body" />
      </section>
    </>
  )
}

const Verdicts = ({ delivery }: { delivery: Api['RunDelivery'] }) => (
  <dl className={styles.facts}>
    <div>
      <dt>Received</dt>
      <dd>
        <When at={delivery.receivedAt} />
      </dd>
    </div>
    <div>
      <dt>Proof</dt>
      <dd>{proofInWords(delivery.judgedBy)}</dd>
    </div>
    <div>
      <dt>Schema</dt>
      <dd>{schemaInWords(delivery.judgedBy)}</dd>
    </div>
    <div>
      <dt>Repetition</dt>
      <dd>{repetitionInWords(delivery)}</dd>
    </div>
    {delivery.identity !== null && (
      <div>
        <dt>Key</dt>
        <dd className="stranger">
          <code>{shownText(delivery.identity.key)}</code>
        </dd>
      </div>
    )}
  </dl>
)
