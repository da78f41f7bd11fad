import type { Logger } from '../../logger.ts'
import type { Run } from '../run.ts'
import type { EndReason } from '../states.ts'

type Ended = Pick<Run, 'status' | 'reason' | 'error'> & { endedAt: Date }

/** Endings caused by the platform: a bug, or processes that died repeatedly. */
const ownFaults = new Set<EndReason>(['WORKFLOW_FAILED', 'STEP_ABANDONED'])

/** Logs one line per ended run: status, reason, duration and usage. */
export function logEnding(logger: Logger, run: Run, { status, reason, error, endedAt }: Ended): void {
  const { id: runId, agentId, ownerId, requestId, sequence, trigger, steps, toolCalls, credits } = run
  const seconds = (from: Date, to: Date): number => Math.round((to.getTime() - from.getTime()) / 100) / 10
  const level = status !== 'failed' ? 'info' : reason && ownFaults.has(reason) ? 'error' : 'warn'
  const used = { steps, toolCalls, credits }
  const times = {
    queuedSeconds: seconds(run.acceptedAt, run.startedAt ?? endedAt),
    seconds: run.startedAt ? seconds(run.startedAt, endedAt) : 0,
  }
  const ids = { runId, agentId, ownerId, requestId }
  logger[level]({ ...ids, sequence, trigger, status, code: reason, cause: error, ...times, ...used }, 'run ended')
}
