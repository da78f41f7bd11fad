import type { Pojo } from 'objection'
import type { WaitCause } from '../../workflows/messages.ts'
import type { Transaction } from '../database/database.ts'
import type { MissingSite } from '../agents/agent-sites.ts'
import { columnOf, Row } from '../database/row.ts'
import { statement } from '../database/statement.ts'
import type { RunFields } from './run.ts'
import { withoutDefaults, withDefaults } from './default-event-data.ts'

/** A model call that failed. `retryAt` is when the provider allows a retry, if it named a time. */
interface StepFailure {
  step: number
  attempt: number
  code: string
  message: string
  willRetry: boolean
  retryAt?: string
  /** The model that was called. */
  model: string
  /** Tokens that the provider billed anyway. */
  inputTokens?: number
  outputTokens?: number
  cachedTokens?: number
  credits?: number
  costUsd?: number | null
}

/** Kinds of timeline events and their data. Contents (payloads, answers, results) are joined on reading. */
export interface EventData {
  accepted: { trigger: string; sequence: number; ahead: number; replayOf?: string; edited?: boolean }
  started: { epoch: number; override: 'used' | 'not-allowed' | 'absent' }
  recovered: { epoch: number; step: number; note: string }
  'step.started': { step: number; attempt: number; note?: string }
  'step.failed': StepFailure
  /**
   * `missingSites`: sites of the agent whose tools were not offered. `endWord`: the provider's word for the end of the
   * answer, if unusual.
   */
  'step.finished': { step: number; attempt: number; missingSites?: MissingSite[]; endWord?: string }
  /** The prompt would not fit, so the model sees less of the run from now on. 0 stands for nothing. */
  'context.fitted': {
    step: number
    shortenedThrough: number
    leftOutThrough: number
    tokensBefore: number
    tokensAfter: number
    contextTokens: number
    note: string
  }
  /** Another model is used from `step` on. */
  'model.changed': { step: number; from: string; to: string; note: string }
  'tool.started': { callId: string; attempt: number; note?: string }
  'tool.failed': { callId: string; attempt: number; message: string; willRetry: true }
  'tool.finished': { callId: string; attempts: number; status: string; note?: string }
  /** The call is sent only after approval, or its site asks a person: `formNumber` times by now. */
  'approval.requested': { callId: string; approvalId: string; expiresAt: string; formNumber?: number }
  'approval.decided': { callId: string; approvalId: string; status: 'approved' | 'refused' | 'expired'; note?: string }
  'credential.refreshed': { callId: string; site: string }
  'wait.started': { cause: WaitCause; site: string | null; model?: string; until: string; calls: number; note: string }
  'wait.ended': { cause: WaitCause; ms: number }
  'cancel.requested': { by: 'owner' | 'operator' | 'sender' | 'deletion' }
  ended: { status: string; reason: string | null; message: string | null }
}

type EventKind = keyof EventData

/** An event to append. */
export type NewEvent = { [Kind in EventKind]: { kind: Kind; data: EventData[Kind] } }[EventKind]

/** One event of a run's timeline (table `run_events`). */
export class RunEvent extends Row {
  static override tableName = 'run_events'
  static override idColumn = ['runId', 'number']
  static override jsonAttributes = ['data']
  declare runId: string
  declare number: number
  declare kind: EventKind
  declare at: Date
  declare data: Record<string, unknown>

  /** Every query reads the kind with the data. */
  override $parseDatabaseJson(row: Pojo): Pojo {
    const { kind, data, ...rest } = super.$parseDatabaseJson(row) as Pick<RunEvent, 'kind' | 'data'>
    return { ...rest, kind, data: withDefaults(kind, data) }
  }

  override $formatDatabaseJson(row: Pojo): Pojo {
    const { kind, data } = row as Pick<RunEvent, 'kind' | 'data'>
    return super.$formatDatabaseJson({ ...row, data: withoutDefaults(kind, data) })
  }
}

/**
 * Appends events to a run's timeline and applies their changes to its row. Counting locks the row, so numbers have no
 * gaps and follow the order of commits. Counts as progress unless the changes say otherwise.
 */
export async function append(
  trx: Transaction,
  runId: string,
  at: Date,
  events: NewEvent[],
  changes: Partial<RunFields> = {},
): Promise<void> {
  if (events.length === 0) return
  const kinds = events.map(({ kind }) => kind)
  const data = events.map((event) => JSON.stringify(withoutDefaults(event.kind, { ...event.data })))
  const fields = Object.entries({ progressedAt: at, ...changes }).filter(([, value]) => value !== undefined)
  const bindings = { ...Object.fromEntries(fields), runId, at, kinds, data, count: events.length }
  const { rowCount } = await insertionOf(fields.map(([field]) => field))(trx, bindings)
  if (rowCount !== events.length) throw new Error('an event was appended to a run that does not exist')
}

/** Statements by the fields that they change together. There are about twenty such sets. */
const insertions = new Map<string, ReturnType<typeof insertCounted>>()

function insertionOf(fields: string[]) {
  const key = fields.join(' ')
  const known = insertions.get(key) ?? insertCounted(fields)
  insertions.set(key, known)
  return known
}

/** One statement, because it writes most of a run's record. */
const insertCounted = (fields: string[]) =>
  statement(`
    with run as (
      update runs set events = events + :count::int, ${fields.map((field) => `${columnOf(field)} = :${field}`).join(', ')}
       where id = :runId returning id, events
    )
    insert into run_events (run_id, number, kind, at, data)
    select run.id, run.events - :count::int + event.place, event.kind, :at::timestamptz, event.data::json
      from run, unnest(:kinds::run_event_kind[], :data::text[]) with ordinality as event (kind, data, place)`)
