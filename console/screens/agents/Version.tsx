import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import { api, type Api } from '../../api/client.ts'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { countInWords } from '../../parts/format.ts'
import { linesOf, type Line } from '../../parts/lines.ts'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { When } from '../../parts/When.tsx'
import { useOwner } from '../../session/workspace.ts'
import agents from './Agents.module.css'
import { Restore } from './Restore.tsx'
import { useAgent } from './useAgent.ts'
import { actorInWords, changesInWords, fieldInWords } from './version-words.ts'
import styles from './Versions.module.css'

const route = getRouteApi('/signed-in/w/$owner/agents/$agentId/versions/$version')

/** What one version changed, and the way back to it. */
export const Page = () => {
  const agent = useAgent()
  const owner = useOwner()
  const params = { path: { agentId: agent.id, version: route.useParams().version } }
  const { data, error, refetch } = useQuery(api.queryOptions('get', '/agents/{agentId}/versions/{version}', { params }))
  if (!data) return error ? <ErrorBox error={error} onRetry={() => void refetch()} /> : <Skeleton lines={8} />
  return (
    <section className={agents.section} aria-labelledby="version">
      <Link {...to.agentTab(owner.address, agent.id, 'versions')}>All versions</Link>
      <header className={agents.heading}>
        <h2 id="version">Version {data.version}</h2>
        {owner.may('build') && data.version !== agent.version && <Restore agentId={agent.id} version={data.version} />}
      </header>
      <p className={`${agents.quiet} stranger`}>
        {changesInWords(data)} · {shownText(actorInWords(data.by))} · <When at={data.at} />
      </p>
      <h3>Prompt of this version</h3>
      <p className={`${agents.prompt} stranger`}>{shownText(data.fields.systemPrompt)}</p>
      {data.differences.map((difference) => (
        <Difference key={difference.field} difference={difference} />
      ))}
    </section>
  )
}

const Difference = ({ difference: { field, before, after } }: { difference: Api['AgentVersionDifference'] }) => {
  const { lines, isCut } = linesOf(before, after)
  const name = fieldInWords(field)
  return (
    <>
      <h3 className={styles.field}>{name}</h3>
      <pre className={styles.lines} tabIndex={0} aria-label={`Difference: ${name}`}>
        {lines.map((line, at) => (
          // Lines have no identity of their own, and never change their places.
          // oxlint-disable-next-line react/no-array-index-key
          <LineOf key={at} line={line} />
        ))}
      </pre>
      {isCut && <p className={agents.quiet}>Only the beginning is compared, because the texts are long.</p>}
    </>
  )
}

const marks = { both: ' ', one: '−', other: '+' } as const

const LineOf = ({ line }: { line: Line }) => {
  if (line.kind === 'hidden') return <span className={styles.hidden}>{countInWords(line.count, 'equal line')}</span>
  const Tag = line.kind === 'one' ? 'del' : line.kind === 'other' ? 'ins' : 'span'
  return (
    <Tag>
      <span aria-hidden="true">{marks[line.kind]} </span>
      <span className="stranger">{line.text}</span>
    </Tag>
  )
}
