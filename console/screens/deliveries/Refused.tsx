import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api, type Api } from '../../api/client.ts'
import { Empty } from '../../parts/Empty.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { countInWords } from '../../parts/format.ts'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { Badge } from '../../parts/Status.tsx'
import { When } from '../../parts/When.tsx'
import { useOwner } from '../../session/workspace.ts'
import { othersInWords } from './delivery-words.ts'
import styles from './Deliveries.module.css'
import { headerPairs, Pairs } from './Pairs.tsx'

const route = getRouteApi('/signed-in/w/$owner/agents/$agentId')

/** The deliveries that an agent refused, and why. */
export const Page = () => {
  const { agentId } = route.useParams()
  const params = { path: { agentId } }
  const { data, error, refetch } = useQuery(
    api.queryOptions('get', '/agents/{agentId}/refused-deliveries', { params }, { refetchInterval: 10_000 }),
  )
  if (data) return <Refusals refusals={data} agentId={agentId} />
  return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Skeleton lines={4} height={80} />
}

const Refusals = ({ refusals, agentId }: { refusals: Api['RefusedDeliveries']; agentId: string }) => {
  const owner = useOwner()
  const { items, proofFailures } = refusals
  return (
    <>
      {items.length === 0 ? (
        <Empty title="No delivery was refused">
          <p>
            A delivery that proves its sender and does not fit, such as one with a missing field, is explained here.
          </p>
          {owner.may('use') && <Link {...to.agentTab(owner.address, agentId, 'test')}>Send a test delivery</Link>}
        </Empty>
      ) : (
        <section className={styles.section} aria-labelledby="refused">
          <div className={styles.heading}>
            <h2 id="refused">Refused deliveries</h2>
            {owner.may('use') && <Link {...to.agentTab(owner.address, agentId, 'test')}>Send a test delivery</Link>}
          </div>
          <p className={styles.quiet}>The last 20, newest first. Their bodies are not kept.</p>
          <ul className={styles.list}>
            {items.map((item) => (
              <Refused key={item.at} item={item} />
            ))}
          </ul>
        </section>
      )}
      {proofFailures && <Failures failures={proofFailures} />}
    </>
  )
}

const Refused = ({ item }: { item: Api['RefusedDelivery'] }) => {
  const others = othersInWords(item.others)
  return (
    <li className={styles.refused}>
      <div className={styles.heading}>
        <Badge tone="bad">{item.code}</Badge>
        <When at={item.at} />
      </div>
      <p className="stranger">{shownText(item.message)}</p>
      {item.reasons.length > 0 && (
        <Pairs label="Reasons" pairs={item.reasons.map(({ pointer, message }) => [pointer, message] as const)} />
      )}
      <details>
        <summary>Headers</summary>
        <Pairs label="Headers" pairs={headerPairs(item.headers)} />
      </details>
      <p className={styles.quiet}>
        {[item.bodyBytes === null ? 'Body not read' : `Body of ${countInWords(item.bodyBytes, 'byte')}`, others]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </li>
  )
}

const Failures = ({ failures }: { failures: Api['ProofFailures'] }) => (
  <section className={styles.section} aria-labelledby="failures">
    <h2 id="failures">Failed proofs</h2>
    <p>
      {countInWords(failures.count, 'request')} without a valid proof. The last was at <When at={failures.lastAt} />{' '}
      from <code className="stranger">{shownText(failures.lastAddress)}</code>.
    </p>
    <p className={styles.quiet}>Anyone can send these, so nothing more of them is kept.</p>
  </section>
)
