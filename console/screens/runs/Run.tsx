import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, notFound } from '@tanstack/react-router'
import { useCallback } from 'react'
import { to } from '../../addresses.ts'
import { api, type Api } from '../../api/client.ts'
import { problemOf } from '../../api/problem.ts'
import { ApprovalCard } from '../../parts/ApprovalCard.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { Json } from '../../parts/Json.tsx'
import { Page as Frame } from '../../parts/Page.tsx'
import { startedBy } from '../../parts/run-words.ts'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { Status } from '../../parts/Status.tsx'
import { TemporalLinks } from '../../parts/TemporalLinks.tsx'
import { Why } from '../../parts/Why.tsx'
import { useOwner } from '../../session/workspace.ts'
import { RunActions } from './RunActions.tsx'
import { RunFacts } from './RunFacts.tsx'
import styles from './Run.module.css'
import { Timeline } from './timeline/Timeline.tsx'
import { useTimeline } from './timeline/useTimeline.ts'
import { WhyAction } from '../../parts/WhyAction.tsx'

const route = getRouteApi('/signed-in/w/$owner/runs/$runId')

/** One run: what it does now, why it waits, what it did, what it cost, and what can be done about it. */
export const Page = () => {
  const { runId } = route.useParams()
  // A different run is a different page: nothing that was opened or typed belongs to it.
  return <RunPage key={runId} runId={runId} />
}

const runQuery = (runId: string) => api.queryOptions('get', '/runs/{runId}', { params: { path: { runId } } })

const RunPage = ({ runId }: { runId: string }) => {
  const owner = useOwner()
  const queries = useQueryClient()
  const { data: run, error, refetch } = useQuery(runQuery(runId))
  const reread = useCallback(
    () => void queries.invalidateQueries({ predicate: ({ queryKey }) => isAbout(queryKey, runId) }),
    [queries, runId],
  )
  // An event that was there when the run was read changes nothing.
  const rereadFrom = useCallback(
    (last: number) => {
      if ((queries.getQueryData<Api['Run']>(runQuery(runId).queryKey)?.events ?? 0) < last) reread()
    },
    [queries, runId, reread],
  )
  const snapshot = useTimeline(runId, rereadFrom)
  const { data: agent, isError: isAgentGone } = useQuery({
    ...api.queryOptions('get', '/agents/{agentId}', { params: { path: { agentId: run?.agentId ?? '' } } }),
    enabled: run !== undefined,
    // The agent may have been deleted, and its runs are kept.
    retry: false,
  })
  if (error && ['RUN_NOT_FOUND', 'WORKSPACE_REQUIRED'].includes(problemOf(error).code)) throw notFound()
  if (!run)
    return (
      <Frame title="Run" place={owner.name} above={<Link {...to.runs(owner.address)}>Runs</Link>}>
        {error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />}
      </Frame>
    )
  const name = agent?.name ?? (isAgentGone ? 'Deleted agent' : 'Run')
  const approvals = snapshot.bars.filter(({ approvalId, to: end }) => approvalId !== null && end === null)
  return (
    <Frame
      title={`${shownText(name)} #${run.sequence}`}
      place={owner.name}
      above={<Link {...to.runs(owner.address, { agentId: run.agentId })}>Runs of this agent</Link>}
      actions={<RunActions run={run} onChange={reread} />}
    >
      <div className={styles.line}>
        <Status status={run.status} />
        <span className="stranger">{run.error === null ? `Started by: ${startedBy(run)}` : shownText(run.error)}</span>
      </div>
      {run.endedAt === null && (
        <Why runId={runId} actionFor={(cause) => <WhyAction cause={cause} agentId={run.agentId} />} />
      )}
      {approvals.map(({ approvalId }) => (
        <ApprovalCard key={approvalId} approvalId={approvalId ?? ''} onDecided={reread} />
      ))}
      <RunFacts run={run} />
      {run.answer !== null && (
        <section aria-label="Answer" className={styles.answer}>
          <h2>Answer</h2>
          <Json value={run.output ?? run.answer} name="answer" />
        </section>
      )}
      <Timeline runId={runId} snapshot={snapshot} />
      <TemporalLinks of={runId} kinds={['run']} />
    </Frame>
  )
}

/** Whether a query reads this run. Its events never change. */
function isAbout([, , init]: readonly unknown[], runId: string): boolean {
  const { params } = (init ?? {}) as { params?: { path?: { runId?: string } } }
  return params?.path?.runId === runId
}
