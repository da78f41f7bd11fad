/** Series with their samples, in promtool's notation: `1x9` is ten times 1, `0+2x9` rises by 2. */
type Series = Record<string, string>

export interface AlertCase {
  /** What makes the alert fire, in addition to a good installation. The same name and labels replace its series. */
  series: Series
  /** When it fires, from the start. */
  fires: string
  /** When it does not yet fire. */
  notYet?: string
  /** How often there are samples and rules are evaluated; otherwise every 15 seconds. */
  every?: string
  /** As close to the limit as it may come without firing, at the same time. */
  quiet: Series
  /** Other ways to make it fire, at the same time. */
  alsoFires?: Series[]
  /** Other things that it must bear. */
  alsoQuiet?: Series[]
  /** The alerts that fire with it, because they are about the same. */
  together?: string[]
}

/** Five-minute steps of a day. */
const day = 288

/** A good installation with work: no alert fires. */
export const good: Series = {
  'up{job="switchyard-api", instance="api"}': '1x480',
  'up{job="switchyard-worker", instance="worker"}': '1x480',
  'up{job="node", instance="other"}': '0x480',
  'switchyard_record_up{instance="api"}': '1x480',
  'switchyard_workers{instance="api"}': '2x480',
  'switchyard_database_connections{instance="api"}': '40x480',
  'switchyard_database_connections_max{instance="api"}': '100x480',
  'switchyard_database_transaction_oldest_seconds{instance="api"}': '0.2x480',
  'switchyard_chat_answers_ended_total{status="failed", code="STREAM_ABORTED"}': '0+1x480',
  'switchyard_chat_answers_oldest_seconds{status="waiting", instance="api"}': '7200x480',
  'switchyard_mails_pending_oldest_seconds{instance="api"}': '1x480',
  'switchyard_canary_up{instance="api"}': '1x480',
  'switchyard_loop_last_round_seconds{loop="callbacks", instance="api"}': '2x480',
  'switchyard_loop_limit_seconds{loop="callbacks", instance="api"}': '60x480',
  'switchyard_event_loop_lag_seconds{instance="api"}': '0.03x480',
  'switchyard_backup_age_seconds{instance="api"}': '3600x480',
  'switchyard_queue_oldest_seconds{instance="api"}': '20x480',
  'switchyard_due_agents_oldest_seconds{instance="api"}': '1x480',
  'switchyard_waiting_oldest_seconds{cause="credential", instance="api"}': '90000x480',
  'switchyard_runs_ended_total{status="completed", reason=""}': '0+9x480',
  'switchyard_runs_ended_total{status="failed", reason="TOO_MANY_STEPS"}': '0+1x480',
  'switchyard_tool_calls_total{effect="once", outcome="succeeded"}': '0+9x480',
  'switchyard_refresh_total{outcome="refreshed"}': '0+1x480',
  'switchyard_fires_total{outcome="ran"}': '0+1x480',
  'switchyard_callbacks_pending_oldest_seconds{instance="api"}': '3x480',
  'switchyard_mails_failed_total{instance="worker"}': '0x480',
  'switchyard_silent_agents{instance="api"}': '0x480',
  'temporal_worker_task_slots_available{worker_type="LocalActivityWorker", instance="worker"}': '0x480',
}

const usual = { accepted: `0+300x${day + 20}`, repeated: `0+1x${day} ${day}+90x20` }
const none = { accepted: '0x480', repeated: '0x480' }

const deliveries = (refused: string, { accepted, repeated } = usual): Series => ({
  'switchyard_deliveries_total{result="accepted"}': accepted,
  'switchyard_deliveries_total{result="repeated"}': repeated,
  'switchyard_deliveries_total{result="WEBHOOK_SECRET_INVALID"}': refused,
})

const modelRequests = (failed: string, answered = '0+95x480'): Series => ({
  'switchyard_model_requests_total{provider="p", model="m", outcome="answered"}': answered,
  'switchyard_model_requests_total{provider="p", model="m", outcome="failed"}': failed,
})

const accepted = (withinHalfASecond: string, all = '0+1000x480'): Series => ({
  'switchyard_accept_seconds_bucket{le="0.5"}': withinHalfASecond,
  'switchyard_accept_seconds_bucket{le="1"}': all,
  'switchyard_accept_seconds_bucket{le="+Inf"}': all,
  switchyard_accept_seconds_count: all,
})

/** Runs by their ends. */
const runs = (modelErrors: string, completed: string): Series => ({
  'switchyard_runs_ended_total{status="completed", reason=""}': completed,
  'switchyard_runs_ended_total{status="failed", reason="TOO_MANY_STEPS"}': '0x480',
  'switchyard_runs_ended_total{status="failed", reason="MODEL_ERROR"}': modelErrors,
})

const workflowTasks = (withinASecond: number): Series => ({
  'temporal_workflow_task_schedule_to_start_latency_bucket{le="1000"}': `0+${withinASecond}x480`,
  'temporal_workflow_task_schedule_to_start_latency_bucket{le="5000"}': '0+1000x480',
  'temporal_workflow_task_schedule_to_start_latency_bucket{le="+Inf"}': '0+1000x480',
})

const temporalRequests = (failed: string, polls: string): Series => ({
  'temporal_request{operation="RespondWorkflowTaskCompleted"}': '0+100x480',
  'temporal_request_failure{operation="RespondWorkflowTaskCompleted"}': failed,
  'temporal_request_failure{operation="PollActivityTaskQueue"}': polls,
})

/** A series whose last sample decides. */
const gauge = (series: string, loud: string, quiet: string, fires: string, notYet?: string): AlertCase => ({
  series: { [series]: loud },
  quiet: { [series]: quiet },
  fires,
  ...(notYet !== undefined && { notYet }),
})

/** A counter of which each one is too many, from zero: it fires when the first has happened, and ends by itself. */
const any = (series: string): AlertCase => gauge(series, '0x20 1x40', '3x60', '6m', '4m45s')

/** A counter that may rise once, but not again and again for five minutes. */
const often = (series: string): AlertCase => gauge(series, '0x8 1x8 2x8 3x8 4x40', '0x8 1x70', '8m', '4m')

export const alertCases: Record<string, AlertCase> = {
  SwitchyardProcessDown: gauge(
    'up{job="switchyard-worker", instance="worker"}',
    '1x8 0x80',
    '1x8 0x11 1x480',
    '6m',
    '5m',
  ),
  SwitchyardTargetsMissing: {
    series: { 'switchyard_record_up{instance="api"}': '1x8 stale' },
    alsoFires: [{ 'up{job="switchyard-worker", instance="worker"}': '1x8 stale' }],
    quiet: { 'switchyard_record_up{instance="api"}': '1x8 stale _x18 1x80' },
    fires: '8m',
    notYet: '7m',
  },
  SwitchyardRecordUnreadable: gauge('switchyard_record_up{instance="api"}', '1x8 0x80', '1x8 0x7 1x80', '5m', '3m'),
  SwitchyardNoWorkers: gauge('switchyard_workers{instance="api"}', '1x8 0x80', '1x8 0x7 1x80', '5m', '4m'),
  SwitchyardCanaryRed: gauge('switchyard_canary_up{instance="api"}', '1x8 0x80', '1x8 0x2 1x80', '3m30s', '3m'),
  SwitchyardLoopDead: gauge(
    'switchyard_loop_last_round_seconds{loop="callbacks", instance="api"}',
    '0+15x80',
    '60x80',
    '4m',
    '2m',
  ),
  SwitchyardEventLoopLag: gauge('switchyard_event_loop_lag_seconds{instance="api"}', '0.3x80', '0.25x80', '3m', '1m'),
  SwitchyardBackupOld: gauge('switchyard_backup_age_seconds{instance="api"}', '93601x80', '93600x80', '6m', '4m'),
  SwitchyardConnectionsScarce: gauge('switchyard_database_connections{instance="api"}', '91x80', '90x80', '6m', '4m'),
  SwitchyardTransactionOld: gauge(
    'switchyard_database_transaction_oldest_seconds{instance="api"}',
    '0+15x80',
    '300x80',
    '7m',
    '6m',
  ),
  SwitchyardAcceptSlow: {
    series: accepted('0+989x480'),
    quiet: accepted('0+990x480'),
    // On an idle system: two slow ones in ten minutes, of ten.
    alsoQuiet: [accepted('0x8 4x10 8x80', '0x8 5x10 10x80')],
    fires: '8m',
    notYet: '4m',
  },
  SwitchyardDeliveriesRefused: {
    // A hundredth is refused all day long, and then more than five times as many, or four times as many.
    series: deliveries(`0+3x${day} ${3 * day}+40x20`),
    quiet: deliveries(`0+3x${day} ${3 * day}+14x20`),
    alsoFires: [
      // All are refused, after a day without deliveries, and after a day on which a quarter was refused.
      deliveries(`0x${day} 0+40x20`, none),
      deliveries(`0+100x${day} ${100 * day}+400x20`, { ...usual, accepted: `0+300x${day} ${300 * day}x20` }),
    ],
    // A few are refused after a day without deliveries, and nearly half after a day on which a quarter was.
    alsoQuiet: [deliveries(`0x${day} 0+4x20`, none), deliveries(`0+100x${day} ${100 * day}+380x20`)],
    every: '5m',
    fires: '24h25m',
    notYet: '24h',
  },
  SwitchyardQueueStuck: gauge('switchyard_queue_oldest_seconds{instance="api"}', '0+15x80', '600x80', '13m', '10m'),
  SwitchyardAgentsLate: gauge('switchyard_due_agents_oldest_seconds{instance="api"}', '0+15x80', '60x80', '4m', '2m'),
  SwitchyardRepairs: gauge('switchyard_repairs_total{kind="restart"}', '0x20 8x40', '0x20 4x40', '6m', '4m45s'),
  SwitchyardHostBusy: gauge(
    'switchyard_waiting_oldest_seconds{cause="rate_limit", instance="api"}',
    '3601x80',
    '3600x80',
    '6m',
    '4m',
  ),
  // Once every eight minutes.
  SwitchyardWorkflowFailed: gauge(
    'switchyard_runs_ended_total{status="failed", reason="WORKFLOW_FAILED"}',
    '0x20 1x31 2x31 3x80',
    '3x120',
    '25m',
    '4m45s',
  ),
  SwitchyardWorkflowsFailing: {
    ...gauge(
      'switchyard_runs_ended_total{status="failed", reason="STEP_ABANDONED"}',
      '0x20 1x2 2x2 3x2 4x2 5x2 7x80',
      '0x20 1x2 2x2 3x2 4x80',
      '10m',
      '4m45s',
    ),
    together: ['SwitchyardWorkflowFailed'],
  },
  SwitchyardRunsFailing: {
    series: runs('0+2x480', '0+10x480'),
    quiet: runs('0+1x480', '0+10x480'),
    // One user's bad prompt, when nobody else does anything.
    alsoQuiet: [runs('0x8 1x4 2x4 3x4 4x4 5x4 6x4 7x4 8x4 9x80', '0x480')],
    fires: '12m',
    notYet: '4m',
  },
  SwitchyardModelUnavailable: {
    series: { 'switchyard_model_outages{model="m", instance="api"}': '_x8 1x80' },
    quiet: { 'switchyard_model_outages{model="m", instance="api"}': '_x8 1x3 stale' },
    fires: '4m',
    notYet: '2m45s',
  },
  SwitchyardChatsFailing: often('switchyard_chat_answers_ended_total{status="failed", code="CHAT_TIMEOUT"}'),
  SwitchyardChatsStuck: gauge(
    'switchyard_chat_answers_oldest_seconds{status="running", instance="api"}',
    '0+15x120',
    '1200x120',
    '22m',
    '21m',
  ),
  SwitchyardModelErrors: {
    series: modelRequests('0+6x480'),
    quiet: modelRequests('0+5x480'),
    // One of six.
    alsoQuiet: [modelRequests('0x8 1x80', '0x8 5x80')],
    fires: '8m',
    notYet: '4m',
  },
  SwitchyardCallsInDoubt: any('switchyard_tool_calls_total{effect="once", outcome="unknown"}'),
  SwitchyardClientRefused: any('switchyard_refresh_total{outcome="invalid_client"}'),
  SwitchyardFiresMissed: any('switchyard_fires_total{outcome="missed"}'),
  SwitchyardCallbacksLate: gauge(
    'switchyard_callbacks_pending_oldest_seconds{instance="api"}',
    '301x80',
    '300x80',
    '6m',
    '4m',
  ),
  SwitchyardMailsLate: gauge('switchyard_mails_pending_oldest_seconds{instance="api"}', '901x80', '900x80', '6m', '4m'),
  SwitchyardMailsFailing: any('switchyard_mails_failed_total{instance="worker"}'),
  SwitchyardAgentsSilent: gauge('switchyard_silent_agents{instance="api"}', '2x8 3x80', '2x80', '8m', '6m'),
  SwitchyardNoSlots: gauge(
    'temporal_worker_task_slots_available{worker_type="ActivityWorker", instance="worker"}',
    '9x8 0x80',
    '9x8 1x80',
    '4m',
    '3m',
  ),
  SwitchyardWorkflowTasksLate: { series: workflowTasks(940), quiet: workflowTasks(950), fires: '8m', notYet: '4m' },
  SwitchyardWorkflowsEvicted: gauge(
    'temporal_sticky_cache_total_forced_eviction{instance="worker"}',
    '0+30x160',
    '0+14x160',
    '17m',
    '14m',
  ),
  SwitchyardTemporalRequestsFailing: {
    series: temporalRequests('0+6x480', '0x480'),
    quiet: temporalRequests('0+5x480', '0+50x480'),
    fires: '8m',
    notYet: '4m',
  },
}
