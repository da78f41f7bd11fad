import type { AgentTool } from '../../agents/agent-sites.ts'
import type { Transaction } from '../../database/database.ts'
import { newId } from '../../ids.ts'
import type { RequestedCall } from '../../models/calls.ts'
import type { Sites } from '../../sites/sites.ts'
import { argumentProblem } from '../../tools/argument-problem.ts'
import { ToolCall } from '../../tools/tool-call.ts'
import { endAfter, type CallFacts } from '../record.ts'
import { streak, warnAfter } from './next-move.ts'
import type { Run } from '../run.ts'
import type { NewEvent } from '../timeline.ts'

/** A tool as it was offered to the model, with its name there. */
export type OfferedTool = AgentTool & { name: string }

/** A call that the model requested, and what is wrong with its arguments. */
export type CheckedCall = RequestedCall & { argumentProblem: string | undefined }

interface Plan {
  run: Run
  step: number
  /** The calls before the step, as far as the rules look back. */
  before: CallFacts[]
  calls: CheckedCall[]
  tools: OfferedTool[]
  now: Date
}

/** What was written: the calls, and the events of those that failed at once. */
interface Planned {
  planned: CallFacts[]
  events: NewEvent[]
}

type PlannedRow = ReturnType<typeof toRow> & Partial<Pick<ToolCall, 'result' | 'endedAt'>>

/** Checks the arguments of the calls. That may take a while, so it is done before the run is locked. */
export async function checkArguments(
  sites: Sites,
  ownerId: string,
  calls: RequestedCall[],
  tools: OfferedTool[],
): Promise<CheckedCall[]> {
  const check = async (call: RequestedCall): Promise<string | undefined> => {
    const offered = tools.find(({ name }) => name === call.name)
    return call.problem || !offered ? undefined : argumentProblem(sites, offered.tool.inputSchema, call.arguments, ownerId)
  }
  return Promise.all(calls.map(async (call) => ({ ...call, argumentProblem: await check(call) })))
}

/**
 * Inserts a row for each tool call that the model requested. A call that cannot be made (an unknown tool, arguments
 * that do not match the input schema, the third identical call in a row) fails at once without being sent, so that the
 * model can correct itself.
 */
export async function planCalls(trx: Transaction, plan: Plan): Promise<Planned> {
  const { before, calls, tools, now } = plan
  const requested: Pick<CallFacts, 'name' | 'arguments'>[] = [...before]
  const rows: PlannedRow[] = []
  const events: NewEvent[] = []
  for (const [position, call] of calls.entries()) {
    requested.push(call)
    const offered = tools.find(({ name }) => name === call.name)
    const problem = problemOf(call, offered, streak(requested))
    const row = toRow(plan, position, call, offered)
    rows.push(problem ? { ...row, status: 'failed' as const, result: problem, endedAt: now } : row)
    const data = { callId: row.id, attempts: 0, status: 'failed', note: 'Nothing was sent to the site.' }
    if (problem) events.push({ kind: 'tool.finished', data })
  }
  if (rows.length > 0) await ToolCall.query(trx).insert(rows)
  return { events, planned: rows.map((row) => ({ ...row, waitCause: null, notBefore: null })) }
}

function toRow({ run, step, now }: Plan, position: number, call: RequestedCall, offered: OfferedTool | undefined) {
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
    plannedAt: now,
  }
}

function problemOf(call: CheckedCall, offered: OfferedTool | undefined, identical: number): string | undefined {
  if (call.problem) return call.problem
  if (!offered) return `There is no tool named ${JSON.stringify(call.name)}. Use only the tools that are offered.`
  if (identical >= warnAfter) {
    return `This is the same call ${identical} times in a row, so it was not made. Do something else: the run ends at ${endAfter}.`
  }
  return call.argumentProblem
}
