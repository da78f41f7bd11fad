import type { Counters } from './counters.ts'

/**
 * Alerts ask how much a counter has grown, and Prometheus does not see growth if a series begins with 1. So series that
 * alerts are about begin with the process.
 */
export function beginAtZero(counters: Counters): void {
  for (const result of ['accepted', 'repeated', 'WEBHOOK_SECRET_INVALID', 'WEBHOOK_PAYLOAD_INVALID', 'TIER_REQUIRED']) {
    counters.deliveries.inc({ result }, 0)
  }
  counters.runsEnded.inc({ status: 'completed', reason: '' }, 0)
  for (const reason of ['WORKFLOW_FAILED', 'STEP_ABANDONED', 'MODEL_ERROR']) {
    counters.runsEnded.inc({ status: 'failed', reason }, 0)
  }
  for (const code of ['INTERNAL_ERROR', 'MODEL_ERROR', 'CHAT_TIMEOUT']) {
    counters.chatAnswersEnded.inc({ status: 'failed', code }, 0)
  }
  for (const kind of repairs) counters.repairs.inc({ kind }, 0)
  for (const outcome of ['refreshed', 'invalid_client']) counters.refreshes.inc({ outcome }, 0)
  for (const effect of ['read', 'idempotent', 'once']) {
    for (const outcome of ['succeeded', 'failed', 'unknown']) counters.toolCalls.inc({ effect, outcome }, 0)
  }
  for (const outcome of ['ran', 'skipped', 'missed']) counters.fires.inc({ outcome }, 0)
  for (const status of ['delivered', 'failed']) counters.callbacksEnded.inc({ status }, 0)
}

const repairs = [
  'start',
  'restart',
  'record',
  'end-run',
  'cancel-forced',
  'end-orphan',
  'schedule-missing',
  'schedule-differs',
  'schedule-orphan',
  'schedule-unsynced',
]
