import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { client, type Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { durationInWords } from '../../parts/format.ts'
import { RowSkeleton } from '../../parts/RowSkeleton.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Badge } from '../../parts/Status.tsx'
import { When } from '../../parts/When.tsx'
import { useOwner } from '../../session/workspace.ts'
import agents from './Agents.module.css'
import { fireTones, lateness } from './fire-words.ts'
import styles from './Schedule.module.css'

const useFires = (agentId: string) =>
  useInfiniteQuery({
    queryKey: ['fires', agentId],
    refetchInterval: 30_000,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }: Api['FirePage']) => nextCursor ?? undefined,
    async queryFn({ pageParam, signal }) {
      const query = { limit: 20, ...(pageParam === undefined ? {} : { cursor: pageParam }) }
      const params = { path: { agentId }, query }
      const { data, error } = await client.GET('/agents/{agentId}/fires', { params, signal })
      if (data) return data
      throw error
    },
  })

/** The scheduled times before, with why no run started. */
export const Fires = ({ agentId }: { agentId: string }) => {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useFires(agentId)
  const fires = data?.pages.flatMap(({ items }) => items)
  return (
    <section className={agents.section} aria-labelledby="fires">
      <h2 id="fires">Scheduled times so far</h2>
      {!fires &&
        (error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <RowSkeleton height={48} rows={5} />)}
      {fires?.length === 0 && (
        <p className={agents.quiet}>None yet. Each appears here with its run, or with the reason why there is none.</p>
      )}
      {fires && fires.length > 0 && (
        <ol className={agents.list}>
          {fires.map((fire) => (
            <FireRow key={fire.at} fire={fire} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <div>
          <Button busy={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            Show earlier ones
          </Button>
        </div>
      )}
    </section>
  )
}

const FireRow = ({ fire }: { fire: Api['Fire'] }) => {
  const owner = useOwner()
  const late = lateness(fire)
  return (
    <li className={styles.fire}>
      <span>
        <Badge tone={fireTones[fire.outcome]}>{fire.outcome}</Badge>
      </span>
      <When at={fire.at} />
      <span className={`${agents.quiet} stranger`}>
        {fire.message !== null && shownText(fire.message)}
        {late !== undefined && `Started ${durationInWords(late)} late.`}
      </span>
      {fire.runId !== null && <Link {...to.run(owner.address, fire.runId)}>Open run</Link>}
    </li>
  )
}
