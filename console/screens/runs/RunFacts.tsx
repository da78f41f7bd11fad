import { Link } from '@tanstack/react-router'
import { to } from '../../addresses.ts'
import type { Api } from '../../api/client.ts'
import { costInWords, countInWords, numberInWords } from '../../parts/format.ts'
import { Duration, When } from '../../parts/When.tsx'
import { useOwner } from '../../session/workspace.ts'
import styles from './Run.module.css'

/** When the run was, how long it took and what it used. */
export const RunFacts = ({ run }: { run: Api['Run'] }) => {
  const owner = useOwner()
  return (
    <dl className={styles.facts}>
      <div>
        <dt>Accepted</dt>
        <dd>
          <When at={run.acceptedAt} />
        </dd>
      </div>
      <div>
        <dt>Duration</dt>
        <dd>{run.startedAt === null ? 'not started' : <Duration from={run.startedAt} to={run.endedAt} />}</dd>
      </div>
      <div>
        <dt>Work</dt>
        <dd>
          {countInWords(run.steps, 'step')}, {countInWords(run.toolCalls, 'call')}
        </dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>
          {numberInWords(run.inputTokens)} in, {numberInWords(run.outputTokens)} out
        </dd>
      </div>
      <div>
        <dt>Cost</dt>
        <dd>
          {countInWords(run.credits, 'credit')} · model {costInWords(run.costUsd)}
        </dd>
      </div>
      {run.trigger === 'webhook' && (
        <div>
          <dt>Started by</dt>
          <dd>
            <Link {...to.delivery(owner.address, run.id)}>Its delivery</Link>
          </dd>
        </div>
      )}
      {run.replayOf !== null && (
        <div>
          <dt>Replay of</dt>
          <dd>
            <Link {...to.compare(owner.address, run.replayOf, run.id)}>Compare both runs</Link>
          </dd>
        </div>
      )}
    </dl>
  )
}
