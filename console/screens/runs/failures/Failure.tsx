import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { to } from '../../../addresses.ts'
import type { Api } from '../../../api/client.ts'
import { Button } from '../../../design/Button.tsx'
import type { RunFilters } from '../../../lists/run-filters.ts'
import { numberInWords } from '../../../parts/format.ts'
import { shownText } from '../../../parts/shown-text.ts'
import { Ago } from '../../../parts/When.tsx'
import type { Owner } from '../../../session/workspace.ts'
import { ReplayDialog } from './ReplayDialog.tsx'
import styles from './Failures.module.css'

interface FailureProps {
  group: Api['RunFailure']
  owner: Owner
  filters: RunFilters
  isWebhook: boolean
}

/** The failed runs of one agent with one reason, and what can be done about them. */
export const Failure = ({ group, owner, filters, isWebhook }: FailureProps) => {
  const [isReplaying, setReplaying] = useState(false)
  const { agentId, reason, message, count, firstEndedAt, lastEndedAt, lastRunId } = group
  const name = shownText(group.agentName ?? 'Agent of another owner')
  return (
    <li className={styles.group}>
      <p className={styles.count}>
        {numberInWords(count)}
        <span className={styles.spoken}> failed runs</span>
      </p>
      <div className={styles.cause}>
        <h2 className={`${styles.agent} stranger`}>{name}</h2>
        <p className="stranger">{shownText(message)}</p>
        <p className={styles.facts}>
          <code>{reason}</code>
          {count === 1 ? (
            <Ago at={lastEndedAt} />
          ) : (
            <span>
              first <Ago at={firstEndedAt} />, last <Ago at={lastEndedAt} />
            </span>
          )}
        </p>
      </div>
      <div className={styles.actions}>
        <Link {...to.run(owner.address, lastRunId)}>Open the last run</Link>
        <Link {...to.runs(owner.address, { agentId, status: 'failed', until: filters.until })}>Show failed runs</Link>
        {isWebhook && owner.may('use') && (
          <Button small onPress={() => setReplaying(true)} aria-label={`Replay failed deliveries of ${name}`}>
            Replay …
          </Button>
        )}
      </div>
      {isReplaying && (
        <ReplayDialog
          agentId={agentId}
          name={name}
          filter={{ reason: reason, ...periodOfFailures(filters) }}
          onClose={() => setReplaying(false)}
        />
      )}
    </li>
  )
}

const periodOfFailures = ({ since, until }: RunFilters) => ({
  ...(since === undefined ? {} : { endedSince: since }),
  ...(until === undefined ? {} : { endedUntil: until }),
})
