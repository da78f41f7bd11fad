import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useRef, useState, type KeyboardEvent } from 'react'
import { ApprovalCard } from '../../parts/ApprovalCard.tsx'
import type { Decider } from '../../parts/ApprovalForm.tsx'
import { Page as Frame } from '../../parts/Page.tsx'
import { useOwner } from '../../session/workspace.ts'
import { afterDecision, commandOf, neighbor } from './inbox.ts'
import { InboxList } from './InboxList.tsx'
import { InboxTabs } from './InboxTabs.tsx'
import { Keys } from './Keys.tsx'
import { useListed } from './listed.ts'
import styles from './Inbox.module.css'

const route = getRouteApi('/signed-in/w/$owner/approvals')

/** The approvals that wait, oldest first, and one of them beside the list. */
export const Page = () => {
  const { approval: chosen, show } = route.useSearch()
  const owner = useOwner()
  const navigate = useNavigate()
  const listed = useListed(owner, show)
  const ids = listed.approvals?.map(({ id }) => id) ?? []
  const [first, setFirst] = useState<string>()
  const [hasMoved, setMoved] = useState(false)
  // On a wide page the first one is open from the start, and stays open when the list changes.
  if (first === undefined && ids[0] !== undefined) setFirst(ids[0])
  const open = chosen ?? first
  const decider = useRef<Decider>(null)

  const choose = (approval: string | undefined) => {
    setMoved(true)
    setFirst(approval)
    void navigate({ to: '.', search: { approval, show }, replace: true })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { target } = event
    const isTyping = target instanceof HTMLElement && target.closest('input, textarea, [role=dialog]') !== null
    const command = commandOf(event.nativeEvent, isTyping)
    if (command === undefined) return
    event.preventDefault()
    if (command === 'approve' || command === 'refuse') decider.current?.[command]()
    else choose(neighbor(ids, open, command === 'next' ? 1 : -1))
  }
  return (
    // Keys work where the focus is on the page, so they disturb no other tool (WCAG 2.1.4).
    <div onKeyDown={onKeyDown} tabIndex={-1} className={styles.keys} role="presentation">
      <Frame title="Approvals" place={owner.name}>
        <InboxTabs owner={owner} show={show} />
        <div className={styles.inbox} data-chosen={chosen !== undefined}>
          <div className={styles.list}>
            <InboxList listed={listed} owner={owner} show={show} open={open} onOpen={() => setMoved(true)} />
          </div>
          <div className={styles.open}>
            {chosen !== undefined && (
              <button type="button" className={styles.back} onClick={() => choose(undefined)}>
                ‹ All approvals
              </button>
            )}
            {open !== undefined && (
              <ApprovalCard
                key={open}
                approvalId={open}
                takesFocus={hasMoved}
                decider={decider}
                onDecided={() => choose(afterDecision(ids, open))}
              />
            )}
          </div>
        </div>
        {show === undefined && ids.length > 0 && <Keys />}
      </Frame>
    </div>
  )
}
