import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { to } from '../../addresses.ts'
import type { Api } from '../../api/client.ts'
import { Button } from '../../design/Button.tsx'
import { tones } from '../../parts/approval-words.ts'
import { Empty } from '../../parts/Empty.tsx'
import { ErrorBox } from '../../parts/ErrorBox.tsx'
import { shownText } from '../../parts/shown-text.ts'
import { Skeleton } from '../../parts/Skeleton.tsx'
import { Badge } from '../../parts/Status.tsx'
import { Ago } from '../../parts/When.tsx'
import type { Owner } from '../../session/workspace.ts'
import type { InboxSearch } from './inbox.ts'
import { useAgentNames, type Listed } from './useListed.ts'
import styles from './Inbox.module.css'

interface InboxListProps {
  listed: Listed
  owner: Owner
  show: InboxSearch['show']
  open: string | undefined
  /** Somebody has opened or decided an approval here. */
  hasMoved: boolean
  onOpen: () => void
}

export const InboxList = ({ listed, owner, show, open, hasMoved, onOpen }: InboxListProps) => {
  const { approvals, error, more, isReadingMore, retry } = listed
  const names = useAgentNames(owner)
  if (approvals === undefined)
    return error ? <ErrorBox error={error} onRetry={retry} /> : <Skeleton lines={6} height={56} />
  if (approvals.length === 0 && !more) return <NoApprovals show={show} takesFocus={hasMoved} />
  return (
    <>
      <ul className={styles.rows} aria-label={show === undefined ? 'Waiting, oldest first' : 'Decided, newest first'}>
        {approvals.map((approval) => (
          <li key={approval.id}>
            <Link
              {...to.approvals(owner.address, approval.id, show)}
              replace
              preload={false}
              onClick={onOpen}
              className={styles.row}
              aria-current={approval.id === open}
            >
              <Summary approval={approval} agent={approval.agentId === null ? 'Chat' : names.get(approval.agentId)} />
            </Link>
          </li>
        ))}
      </ul>
      {more && (
        <Button busy={isReadingMore} onPress={more}>
          Show more
        </Button>
      )}
    </>
  )
}

/** What tells one call from another, without its arguments. */
const Summary = ({ approval, agent }: { approval: Api['Approval']; agent: string | undefined }) => {
  const { tool, siteOrigin, status, requestedAt, decidedAt } = approval
  return (
    <>
      <code className={`stranger ${styles.tool}`}>{shownText(tool)}</code>
      <span className={styles.when}>
        <Ago at={decidedAt ?? requestedAt} />
      </span>
      <span className={`stranger ${styles.where}`}>
        {agent !== undefined && `${shownText(agent)} · `}
        {URL.parse(siteOrigin)?.host ?? siteOrigin}
      </span>
      {status !== 'pending' && <Badge tone={tones[status]}>{status}</Badge>}
    </>
  )
}

/** It takes the focus after the last decision, whose button is gone. */
const NoApprovals = ({ show, takesFocus }: { show: InboxSearch['show']; takesFocus: boolean }) => {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (takesFocus) place.current?.focus()
  }, [takesFocus])
  return (
    <div ref={place} tabIndex={-1} className={styles.none}>
      {show === 'decided' ? (
        <Empty title="Nothing has been decided yet">
          <p>Approvals that somebody approved or refused, and those that expired, are listed here.</p>
        </Empty>
      ) : (
        <Empty title="Nothing waits for you">
          <p>
            When an agent wants to call a tool that it must ask for first, the call waits here until somebody approves
            or refuses it. Choose these tools in the agent’s sites.
          </p>
          <p>
            <a href="/docs/how-to/approvals">How approvals work</a>
          </p>
        </Empty>
      )}
    </div>
  )
}
