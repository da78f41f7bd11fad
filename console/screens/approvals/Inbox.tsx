import { getRouteApi } from '@tanstack/react-router'
import { useRef, type KeyboardEvent } from 'react'
import { ApprovalCard } from '../../parts/ApprovalCard.tsx'
import type { Decider } from '../../parts/ApprovalForm.tsx'
import { Page as Frame } from '../../parts/Page.tsx'
import { useOwner } from '../../session/workspace.ts'
import { afterDecision, commandOf, neighbor } from './inbox.ts'
import { InboxList } from './InboxList.tsx'
import { InboxTabs } from './InboxTabs.tsx'
import { Keys } from './Keys.tsx'
import { useListed } from './useListed.ts'
import { useOpen } from './useOpen.ts'
import styles from './Inbox.module.css'

const route = getRouteApi('/signed-in/w/$owner/approvals')

export const Page = () => {
  const { show } = route.useSearch()
  const { address } = useOwner()
  return <Inbox key={`${address} ${show}`} />
}

/** The approvals that wait, oldest first, or the decided ones, and one of them beside the list. */
const Inbox = () => {
  const { approval: chosen, show } = route.useSearch()
  const owner = useOwner()
  const listed = useListed(owner, show)
  const ids = listed.approvals?.map(({ id }) => id) ?? []
  const { open, hasMoved, choose, noteMove } = useOpen(chosen, ids[0])
  const decider = useRef<Decider>(null)
  const onDecided = (id: string) => {
    listed.hide(id)
    choose(afterDecision(ids, id))
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
        <InboxTabs owner={owner} />
        <div className={styles.inbox} data-chosen={chosen !== undefined}>
          <div className={styles.list}>
            <InboxList {...{ listed, owner, show, open, hasMoved }} onOpen={noteMove} />
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
                onDecided={() => onDecided(open)}
              />
            )}
          </div>
        </div>
        {show === undefined && ids.length > 0 && <Keys />}
      </Frame>
    </div>
  )
}
