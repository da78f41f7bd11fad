import type { AgentTool } from '../../agents/agent-sites.ts'
import type { CallToApprove } from '../../approvals/approvals.ts'
import type { Transaction } from '../../database/database.ts'
import { newId } from '../../ids.ts'
import type { CheckedCall } from '../../loop/judge.ts'
import type { RequestedCall } from '../../models/requested-calls.ts'
import { ToolCall } from '../../tools/tool-call.ts'
import { endAfter, type CallFacts } from '../record.ts'
import { streak, warnAfter } from './next-move.ts'
import type { Run } from '../run.ts'
import type { NewEvent } from '../timeline.ts'

/** A tool as it was offered to the model, with its name there. */
export type OfferedTool = AgentTool & { name: string }

interface Plan {
  run: Run
  step: number
  /** The calls before the step, as far as the rules look back. */
  before: CallFacts[]
  calls: CheckedCall[]
  tools: OfferedTool[]
  now: Date
  /** Until when the run may wait for approval. */
  mayAskUntil: Date
}

/** The calls that were written, the events of those that failed immediately, and those that need approval. */
interface Planned {
  planned: CallFacts[]
  events: NewEvent[]
  toApprove: CallToApprove[]
}

type PlannedRow = ReturnType<typeof toRow> & Partial<Pick<ToolCall, 'result' | 'endedAt'>>

const noTimeToAsk =
  'The call was not made because it requires approval, and the run has no time left to wait for approval.'

/**
 * Inserts a row for each tool call that the model requested. A call that cannot be made (an unknown tool, arguments
 * that do not match the input schema, the third identical call in a row) fails immediately and is not sent, so that the
 * model can correct itself. It needs no approval.
 */
export async function planCalls(trx: Transaction, plan: Plan): Promise<Planned> {
  const { before, calls, tools, now } = plan
  const requested: Pick<CallFacts, 'name' | 'arguments'>[] = [...before]
  const rows: PlannedRow[] = []
  const events: NewEvent[] = []
  const toApprove: CallToApprove[] = []
  for (const [position, call] of calls.entries()) {
    requested.push(call)
    const offered = tools.find(({ name }) => name === call.name)
    const problem = problemOf(call, offered, streak(requested)) ?? problemOfAsking(plan, offered)
    const row = toRow(plan, position, call, offered, problem)
    rows.push(problem ? { ...row, status: 'failed' as const, result: problem, endedAt: now } : row)
    if (row.waitCause && offered) toApprove.push(toAsk(row, offered))
    const data = { callId: row.id, attempts: 0, status: 'failed', note: 'Nothing was sent to the site.' }
    if (problem) events.push({ kind: 'tool.finished', data })
  }
  if (rows.length > 0) await ToolCall.query(trx).insert(rows)
  return { events, planned: rows, toApprove }
}

const toAsk = ({ id: callId, arguments: args }: PlannedRow, { siteOrigin, tool }: OfferedTool): CallToApprove => ({
  callId,
  siteOrigin,
  tool: tool.name,
  arguments: args,
})

function toRow(
  { run, step, now, mayAskUntil }: Plan,
  position: number,
  call: RequestedCall,
  offered: OfferedTool | undefined,
  problem: string | undefined,
) {
  const asksFirst = offered?.asksFirst === true && problem === undefined
  return {
    id: newId(),
    runId: run.id,
    step,
    position,
    modelCallId: call.id,
    name: call.name,
    vaultEntryId: offered?.entryId ?? null,
    siteOrigin: offered?.siteOrigin ?? null,
    tool: offered?.tool.name ?? null,
    effect: offered?.tool.effect ?? ('once' as const),
    arguments: call.arguments,
    status: 'planned' as 'planned' | 'failed',
    waitCause: asksFirst ? ('approval' as const) : null,
    notBefore: asksFirst ? mayAskUntil : null,
    plannedAt: now,
  }
}

const problemOfAsking = ({ mayAskUntil, now }: Plan, offered: OfferedTool | undefined): string | undefined =>
  offered?.asksFirst && mayAskUntil <= now ? noTimeToAsk : undefined

function problemOf(call: CheckedCall, offered: OfferedTool | undefined, identical: number): string | undefined {
  if (call.problem) return call.problem
  if (!offered)
    return `There is no tool named ${JSON.stringify(call.name)}. You can call only the tools you were given.`
  if (identical >= warnAfter) {
    return `You requested the same call ${identical} times in a row, so it was not made this time. The run will fail at the ${endAfter}th identical request in a row.`
  }
  return call.argumentProblem
}
