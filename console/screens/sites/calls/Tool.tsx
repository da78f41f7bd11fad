import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, notFound } from '@tanstack/react-router'
import { to } from '../../../addresses.ts'
import { api } from '../../../api/client.ts'
import { problemOf } from '../../../api/problem.ts'
import { ErrorBox } from '../../../parts/ErrorBox.tsx'
import { Page as Frame } from '../../../parts/Page.tsx'
import { shownText } from '../../../parts/shown-text.ts'
import { Skeleton } from '../../../parts/Skeleton.tsx'
import { Badge } from '../../../parts/Status.tsx'
import { useOwner } from '../../../session/workspace.ts'
import { Proposal } from '../Proposal.tsx'
import { toolDoes, toolInWords } from '../tool-words.ts'
import styles from './Calls.module.css'
import { ToolForm } from './ToolForm.tsx'

const route = getRouteApi('/signed-in/w/$owner/sites/$entryId/tools/$toolName')

/** Call a tool, with the arguments of an earlier call if the address names one. */
export const Page = () => {
  const { entryId, toolName } = route.useParams()
  const { from } = route.useSearch()
  return <ToolPage key={`${entryId} ${toolName} ${from}`} entryId={entryId} toolName={toolName} from={from} />
}

const ToolPage = ({ entryId, toolName, from }: { entryId: string; toolName: string; from: string | undefined }) => {
  const owner = useOwner()
  const path = { entryId }
  const entry = useQuery(api.queryOptions('get', '/vault/{entryId}', { params: { path } }))
  const tools = useQuery(api.queryOptions('get', '/vault/{entryId}/tools', { params: { path } }))
  const earlier = useQuery({
    ...api.queryOptions('get', '/vault/{entryId}/calls/{callId}', {
      params: { path: { entryId, callId: from ?? '' } },
    }),
    enabled: from !== undefined,
  })
  const error = entry.error ?? tools.error ?? earlier.error
  const tool = tools.data?.items.find(({ name }) => name === toolName)
  if ((error && problemOf(error).code === 'NOT_FOUND') || (tools.data && !tool)) throw notFound()
  const retry = () => void Promise.all([entry.refetch(), tools.refetch(), ...(from ? [earlier.refetch()] : [])])
  return (
    <Frame
      title={`Call ${shownText(toolName)}`}
      place={owner.name}
      above={
        <Link {...to.site(owner.address, entryId)} className="stranger">
          {entry.data ? shownText(entry.data.name) : 'Site'}
        </Link>
      }
    >
      {entry.data && tool && (from === undefined || earlier.data) ? (
        <>
          <div className={styles.about}>
            <p className="stranger">{shownText(tool.description)}</p>
            <p className={styles.line}>
              <Badge tone={toolDoes(tool).tone}>{toolDoes(tool).word}</Badge>
              <span className={styles.quiet}>{toolInWords(tool)}</span>
            </p>
            <Proposal tool={tool} entryId={owner.may('build') ? entryId : undefined} />
          </div>
          {owner.may('use') ? (
            <ToolForm
              entry={entry.data}
              tool={tool}
              owner={owner}
              given={earlier.data && JSON.stringify(earlier.data.arguments, null, 2)}
            />
          ) : (
            <p className={styles.quiet}>Your role may not call tools. Ask a member of the workspace.</p>
          )}
        </>
      ) : error ? (
        <ErrorBox error={error} onRetry={retry} />
      ) : (
        <Skeleton lines={6} height={40} />
      )}
    </Frame>
  )
}
