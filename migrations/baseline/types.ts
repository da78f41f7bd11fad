/** Enumerations of the largest tables: four bytes per value, readable as its name. */
export const types = `
  create type run_trigger as enum ('manual', 'scheduled', 'webhook');
  create type run_status as enum ('queued', 'running', 'waiting', 'completed', 'failed', 'cancelled', 'skipped');
  create type step_finish as enum ('stop', 'tool-calls', 'length', 'content-filter', 'other');
  create type run_event_kind as enum ('accepted', 'started', 'recovered', 'step.started', 'step.failed', 'step.finished',
    'tool.started', 'tool.failed', 'tool.finished', 'credential.refreshed', 'wait.started', 'wait.ended',
    'cancel.requested', 'ended', 'model.changed', 'context.fitted', 'approval.requested', 'approval.decided');
  create type tool_effect as enum ('read', 'idempotent', 'once');
  create type tool_call_status as enum ('planned', 'started', 'succeeded', 'failed', 'unknown');
`
