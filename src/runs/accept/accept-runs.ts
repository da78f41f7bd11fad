import { toColumn } from '../../database/any-text.ts'
import type { Database, Transaction } from '../../database/database.ts'
import { CodedError } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { NamedAgent } from '../../temporal/temporal.ts'
import { queueFull } from '../queue/depth.ts'
import { endReasons, type RunStatus } from '../states.ts'
import type { AcceptRequest, Receipt } from './receipt.ts'
import { repeated } from './repeated.ts'

/** When the batch is decided, and what applies to all of it. */
interface Terms {
  now: Date
  /** An agent whose run is not claimed by then is stalled. */
  due: Date
  /** The most unfinished runs of an agent. */
  depth: number
  /** Whether to wait for locked queues. Otherwise their requests are `locked`. */
  waits: boolean
}

/**
 * The outcome of a request. `locked`: another transaction holds the queue. `again`: another request of the batch must
 * be decided first. `stale`: what the request was judged by has changed. After these three, nothing was done.
 */
export type Decision = { receipt: Receipt; isNew: boolean } | { error: CodedError } | 'locked' | 'again' | 'stale'

/** Whether the request created a run. */
export const isNew = (decision: Decision): decision is Extract<Decision, { receipt: Receipt }> =>
  typeof decision === 'object' && 'receipt' in decision && decision.isNew

/** The decisions in the order of the requests, and what to do after the commit. */
export interface Decided {
  decisions: Decision[]
  /** Agents to wake. */
  woken: NamedAgent[]
  /** Texts that were stored, with their owners. */
  stored: { ownerId: string; bytes: number }[]
}

/** Accepts requests in one statement, the SQL function `accept_runs`. */
export async function acceptRuns(
  db: Database | Transaction,
  requests: readonly AcceptRequest[],
  { now, due, depth, waits }: Terms,
): Promise<Decided> {
  const given = requests.map(rowOf)
  const { rows } = await db.raw<{ rows: Verdict[] }>('select * from accept_runs(?::json, ?::uuid[], ?, ?, ?, ?)', [
    JSON.stringify(given),
    [...new Set(given.map(({ agent }) => agent))],
    now,
    due,
    depth,
    waits,
  ])
  const verdicts = rows.map((row, place) => ({ row, request: requests[place] as AcceptRequest }))
  return {
    decisions: verdicts.map(({ row, request }) => decisionOf(row, request, depth)),
    woken: verdicts.flatMap(({ row: { wakes: agentName, owner_id: ownerId }, request: { agentId } }) =>
      agentName === null || ownerId === null ? [] : [{ agentId, ownerId, agentName }],
    ),
    stored: verdicts.flatMap(({ row: { verdict, owner_id: ownerId }, request }) =>
      verdict === 'new' && ownerId !== null ? [{ ownerId, bytes: bytesOf(request) }] : [],
    ),
  }
}

/** A row of `accept_runs`. */
interface Verdict {
  verdict: 'new' | 'repeated' | 'gone' | 'locked' | 'stale' | 'busy' | 'full' | 'again'
  run_id: string | null
  status: RunStatus | null
  sequence: number | null
  ahead: number
  owner_id: string | null
  body_hash: string | null
  wakes: string | null
}

/** A request as `accept_runs` reads it. Absent members are null there. */
const rowOf = (request: AcceptRequest, place: number) => ({
  place,
  id: newId(),
  agent: request.agentId,
  owner: request.ownerId,
  version: request.judgedBy?.version,
  tokens: finite(request.judgedBy?.tokensPerMonth),
  until: request.judgedBy && new Date(request.judgedBy.until),
  trigger: request.trigger,
  mode: request.onlyIfIdle ? 'if_idle' : request.skipUnlessIdle ? 'skip' : undefined,
  request: request.requestId,
  trace: request.traceparent,
  payload: request.payload,
  action: request.action === undefined ? undefined : toColumn(request.action),
  headers: request.headers,
  key: request.idempotencyKey,
  hash: request.bodyHash,
  replay: request.replayOf,
  edited: request.edited,
  overlap: request.skipUnlessIdle ? endReasons.OVERLAP : undefined,
})

/** JSON has no Infinity. */
const finite = (limit: number | undefined): number | undefined => (limit === Infinity ? undefined : limit)

const bytesOf = ({ payload = '', action = '', headers = {} }: AcceptRequest): number =>
  Buffer.byteLength(payload) + Buffer.byteLength(action) + JSON.stringify(headers).length

function decisionOf(row: Verdict, request: AcceptRequest, depth: number): Decision {
  switch (row.verdict) {
    case 'new':
      return { receipt: receiptOf(row), isNew: true }
    case 'repeated':
      return repeated(request, { ownerId: row.owner_id, bodyHash: row.body_hash, receipt: receiptOf(row) })
    case 'gone':
      return { error: new CodedError('AGENT_NOT_FOUND') }
    case 'busy':
      return { error: new CodedError('AGENT_ALREADY_RUNNING') }
    case 'full':
      return { error: queueFull(depth) }
    default:
      return row.verdict
  }
}

const receiptOf = ({ run_id, status, sequence, ahead }: Verdict): Receipt => ({
  runId: run_id ?? '',
  status: status ?? 'queued',
  sequence: sequence ?? 0,
  ahead,
})
