import { proxyLocalActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import type { CronTickInput, FireOutcome } from './messages.ts'
import { recordOptions } from './options.ts'

const { recordFire } = proxyLocalActivities<Activities>(recordOptions)

/** Temporal sets it on workflows that a schedule starts: the nominal time, however late the start. */
const nominalTime = { name: 'TemporalScheduledStartTime', type: 'DATETIME' } as const

/** One fire of an agent's schedule. The record decides whether it starts a run. */
export async function cronTick({ agentId, generation }: CronTickInput): Promise<void> {
  const { typedSearchAttributes, workflowId } = workflowInfo()
  const nominal = typedSearchAttributes.get(nominalTime)
  if (!nominal) return setCurrentDetails('Not started by a schedule: nothing was done.')
  const nominalAt = nominal.toISOString()
  const outcome = await recordFire({ agentId, generation, nominalAt, requestId: workflowId })
  setCurrentDetails(`${nominalAt}: ${details[outcome]}`)
}

const details: Record<FireOutcome, string> = {
  ran: 'a run was accepted.',
  skipped: 'skipped; `GET /agents/{agentId}/fires` shows the reason.',
  missed: 'missed; `GET /agents/{agentId}/fires` shows the reason.',
  stale: 'nothing was done, because the schedule was changed after this fire was planned.',
  gone: 'nothing was done, because the agent is no longer scheduled.',
  none: 'nothing was done, because the schedule does not fire at this time.',
}
