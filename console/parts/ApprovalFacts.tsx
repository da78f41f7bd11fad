import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { to } from '../addresses.ts'
import { api } from '../api/client.ts'
import { useOwner } from '../session/workspace.ts'
import { effects, scopes } from './approval-words.ts'
import { connectionQuery, type ShownApproval } from './approvals.ts'
import styles from './ApprovalCard.module.css'
import { shownText } from './shown-text.ts'
import { When } from './When.tsx'

/** What an approval is about: the call, its connection, its effect, its times, and what asked for it. */
export const ApprovalFacts = ({ approval, takesFocus }: { approval: ShownApproval; takesFocus: boolean }) => {
  const { tool: toolName, siteOrigin } = approval
  const { query } = useOwner()
  const { data: connection } = useQuery(connectionQuery(query.workspaceId, siteOrigin, toolName))
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [takesFocus])
  const entry = connection?.entry
  return (
    <>
      <header className={styles.header}>
        <h2 ref={heading} tabIndex={-1} className={`stranger ${styles.heading}`}>
          Call <code>{shownText(toolName)}</code>
        </h2>
        <p className="stranger">
          at <strong>{siteOrigin}</strong>
          {entry && (
            <>
              , as the connection <strong>{shownText(entry.name)}</strong>
            </>
          )}
          .{connection === null && ' The site is not connected any more, so the call cannot be made.'}
          {entry && !isAt(entry.serverUrl, siteOrigin) && (
            <>
              {' '}
              The site takes its calls at <strong>{entry.serverUrl}</strong>.
            </>
          )}
        </p>
      </header>
      <dl className={styles.facts}>
        <dt>Effect</dt>
        <dd>
          {connection?.tool
            ? `${effects[connection.tool.effect]} ${scopes[connection.tool.scope]}`
            : connection === undefined
              ? '…'
              : 'Unknown, because the site does not offer this tool now.'}
        </dd>
        <dt>{approval.status === 'pending' ? 'Waiting since' : 'Requested'}</dt>
        <dd>
          <When at={approval.requestedAt} />
        </dd>
        {approval.status === 'pending' && (
          <>
            <dt>Until</dt>
            <dd>
              <When at={approval.expiresAt} />. If nobody decides by then, the call{' '}
              {approval.form === null ? 'is not made' : 'does not come to its end'}. The model learns that and continues
              without it.
            </dd>
          </>
        )}
        <dt>Requested by</dt>
        <dd>
          <Asker approval={approval} />
        </dd>
      </dl>
    </>
  )
}

const isAt = (url: string, origin: string): boolean => URL.parse(url)?.origin === origin

/** The run and its agent, or the chat. */
const Asker = ({ approval: { runId, agentId } }: { approval: ShownApproval }) => {
  const { address } = useOwner()
  const params = { path: { agentId: agentId ?? '' } }
  const naming = { enabled: agentId !== null, staleTime: 60_000 }
  const { data: agent } = useQuery(api.queryOptions('get', '/agents/{agentId}', { params }, naming))
  if (runId === null || agentId === null) return 'an answer in a chat'
  return (
    <>
      <Link {...to.run(address, runId)}>a run</Link> of{' '}
      <Link {...to.runs(address, { agentId })} className="stranger">
        {agent ? shownText(agent.name) : 'an agent'}
      </Link>
    </>
  )
}
