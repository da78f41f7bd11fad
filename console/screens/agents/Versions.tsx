import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { client, type Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { RowSkeleton } from '../../parts/RowSkeleton.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Ago } from '../../parts/When.tsx'
import { useOwner } from '../../session/workspace.ts'
import agents from './Agents.module.css'
import { useAgent } from './useAgent.ts'
import { actorInWords, changesInWords } from './version-words.ts'
import styles from './Versions.module.css'

/** A later version is another list. */
const useVersions = ({ id: agentId, version }: Api['Agent']) =>
  useInfiniteQuery({
    queryKey: ['versions', agentId, version],
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }: Api['AgentVersionSummaryPage']) => nextCursor ?? undefined,
    async queryFn({ pageParam, signal }) {
      const query = { limit: 50, ...(pageParam === undefined ? {} : { cursor: pageParam }) }
      const params = { path: { agentId }, query }
      const { data, error } = await client.GET('/agents/{agentId}/versions', { params, signal })
      if (data) return data
      throw error
    },
  })

/** Who changed an agent, when, and what. */
export const Page = () => {
  const agent = useAgent()
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useVersions(agent)
  if (!data)
    return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <RowSkeleton height={48} rows={6} />
  return (
    <section className={agents.section} aria-label="Versions">
      <ol className={agents.list}>
        {data.pages
          .flatMap(({ items }) => items)
          .map((version) => (
            <Row key={version.version} version={version} agentId={agent.id} />
          ))}
      </ol>
      {hasNextPage && (
        <div>
          <Button busy={isFetchingNextPage} onPress={() => void fetchNextPage()}>
            Show earlier versions
          </Button>
        </div>
      )}
    </section>
  )
}

const Row = ({ version, agentId }: { version: Api['AgentVersionSummary']; agentId: string }) => {
  const owner = useOwner()
  return (
    <li>
      <Link {...to.agentVersion(owner.address, agentId, version.version)} className={styles.row}>
        <span>Version {version.version}</span>
        <span>{changesInWords(version)}</span>
        <span className={`${agents.quiet} stranger`}>{shownText(actorInWords(version.by))}</span>
        <span className={agents.quiet}>
          <Ago at={version.at} />
        </span>
      </Link>
    </li>
  )
}
