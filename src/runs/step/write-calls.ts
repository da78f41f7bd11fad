import { Agent } from '../../agents/agent.ts'
import type { Approvals, CallToApprove } from '../../approvals/approvals.ts'
import type { Transaction } from '../../database/database.ts'
import { planCalls, type Plan, type PlannedCall } from '../../loop/plan-calls.ts'
import { quotedName } from '../../names.ts'
import { ToolCall } from '../../tools/tool-call.ts'
import type { CallFacts } from '../record.ts'
import type { Run } from '../run.ts'
import type { NewEvent } from '../timeline.ts'

/** The calls that were written, and the events of those that failed immediately or need an approval. */
interface Written {
  calls: CallFacts[]
  events: NewEvent[]
}

/** Inserts a row for each tool call that the model requested, with its step: so nobody is asked twice to approve one. */
export async function writeCalls(
  trx: Transaction,
  approvals: Pick<Approvals, 'request'>,
  run: Run,
  plan: Plan,
): Promise<Written> {
  const { planned, toApprove } = planCalls(plan)
  const rows = planned.map((call) => toRow(run, call, plan.mayAskUntil))
  if (rows.length > 0) await ToolCall.query(trx).insert(rows)
  const failed = rows.filter(({ status }) => status === 'failed').map(failedEvent)
  return { calls: rows, events: [...failed, ...(await askFirst(trx, approvals, run, toApprove, plan.mayAskUntil))] }
}

const toRow = ({ id: subjectId }: Run, call: PlannedCall, mayAskUntil: Date) => ({
  ...call,
  subjectId,
  waitCause: call.asksFirst ? ('approval' as const) : null,
  notBefore: call.asksFirst ? mayAskUntil : null,
})

const failedEvent = ({ id: callId }: { id: string }): NewEvent => ({
  kind: 'tool.finished',
  data: { callId, attempts: 0, status: 'failed', note: 'Nothing was sent to the site.' },
})

async function askFirst(
  trx: Transaction,
  approvals: Pick<Approvals, 'request'>,
  { id: runId, agentId, ownerId, sequence }: Run,
  calls: CallToApprove[],
  expiresAt: Date,
): Promise<NewEvent[]> {
  if (calls.length === 0) return []
  const agent = await Agent.query(trx).findById(agentId).select('name').throwIfNotFound()
  const asker = `Run ${sequence} of the agent ${quotedName(agent.name)}`
  const asked = await approvals.request(trx, { ownerId, of: { runId, agentId }, asker, calls, expiresAt })
  return asked.map(({ id: approvalId, callId }) => ({
    kind: 'approval.requested',
    data: { callId, approvalId, expiresAt: expiresAt.toISOString() },
  }))
}
