import { agentQueueId, agentRunId, scheduleId } from '../../workflows/messages.ts'

/** Addresses of the Temporal web interface. `{id}` stands for the id of the run or of the agent. */
export interface TemporalUiAddresses {
  /** The workflow of a run. */
  run: string
  /** The workflow of an agent's queue. */
  queue: string
  /** The schedule of an agent. */
  schedule: string
}

/** null if the installation does not say where the interface is (`TEMPORAL_UI_URL`). */
export function temporalUiAddresses(config: {
  uiUrl: string | undefined
  namespace: string
}): TemporalUiAddresses | null {
  if (config.uiUrl === undefined) return null
  const address = (kind: string, idOf: (id: string) => string) =>
    `${config.uiUrl}/namespaces/${encodeURIComponent(config.namespace)}/${kind}/${encodeURIComponent(idOf(''))}{id}`
  return {
    run: address('workflows', agentRunId),
    queue: address('workflows', agentQueueId),
    schedule: address('schedules', scheduleId),
  }
}
