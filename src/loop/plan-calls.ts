import type { CallToApprove } from '../approvals/approvals.ts'
import { newId } from '../ids.ts'
import type { RequestedCall } from '../models/requested-calls.ts'
import type { Sites } from '../sites/sites.ts'
import { argumentProblem } from '../tools/argument-problem.ts'
import type { OfferedTool } from './offer.ts'
import { endAfter, streak, warnAfter, type CallIdentity } from './repeated-calls.ts'

/** A call that the model requested, and what is wrong with its arguments. */
export type CheckedCall = RequestedCall & { argumentProblem: string | undefined }

export interface Plan {
  step: number
  /** The calls before the step, as far as the rules look back. */
  before: CallIdentity[]
  calls: CheckedCall[]
  tools: OfferedTool[]
  now: Date
  /** Until when an approval can be waited for. */
  mayAskUntil: Date
}

/** What is written of a call that the model requested. A call that fails immediately has its result. */
export type PlannedCall = ReturnType<typeof planCall>

const noTimeToAsk =
  'The call was not made because it requires approval, and there is no time left to wait for approval.'

/** Checks the arguments of the calls. That may take a while, so it is done before anything is locked. */
export async function checkArguments(
  sites: Pick<Sites, 'argumentProblems'>,
  ownerId: string,
  calls: RequestedCall[],
  tools: Pick<OfferedTool, 'name' | 'tool'>[],
): Promise<CheckedCall[]> {
  const check = async (call: RequestedCall): Promise<string | undefined> => {
    const offered = offeredAs(call, tools)
    return call.problem || !offered
      ? undefined
      : argumentProblem(sites, offered.tool.inputSchema, call.arguments, ownerId)
  }
  return Promise.all(calls.map(async (call) => ({ ...call, argumentProblem: await check(call) })))
}

/**
 * Plans the tool calls that the model requested. A call that cannot be made (an unknown tool, arguments that do not match
 * the input schema, the third identical call in a row) fails immediately and is not sent, so that the model can correct
 * itself. It needs no approval.
 */
export function planCalls(plan: Plan): { planned: PlannedCall[]; toApprove: CallToApprove[] } {
  const planned = plan.calls.map((call, position) => planCall(plan, call, position))
  return { planned, toApprove: planned.filter(({ asksFirst }) => asksFirst).map(toAsk) }
}

const offeredAs = <Tool extends { name: string }>(call: Pick<RequestedCall, 'name'>, tools: Tool[]): Tool | undefined =>
  tools.find(({ name }) => name === call.name)

function planCall(plan: Plan, call: CheckedCall, position: number) {
  const { step, before, calls, tools, now } = plan
  const offered = offeredAs(call, tools)
  const identical = streak([...before, ...calls.slice(0, position + 1)])
  const problem = problemOf(call, offered, identical) ?? problemOfAsking(plan, offered)
  return {
    id: newId(),
    step,
    position,
    modelCallId: call.id,
    name: call.name,
    vaultEntryId: offered?.entryId ?? null,
    siteOrigin: offered?.siteOrigin ?? null,
    tool: offered?.tool.name ?? null,
    effect: offered?.tool.effect ?? ('once' as const),
    arguments: call.arguments,
    asksFirst: offered?.asksFirst === true && problem === undefined,
    plannedAt: now,
    ...(problem === undefined
      ? { status: 'planned' as const }
      : { status: 'failed' as const, result: problem, endedAt: now }),
  }
}

const toAsk = ({ id: callId, siteOrigin, tool, arguments: args }: PlannedCall): CallToApprove => ({
  callId,
  siteOrigin: siteOrigin ?? '',
  tool: tool ?? '',
  arguments: args,
})

const problemOfAsking = ({ mayAskUntil, now }: Plan, offered: OfferedTool | undefined): string | undefined =>
  offered?.asksFirst && mayAskUntil <= now ? noTimeToAsk : undefined

function problemOf(call: CheckedCall, offered: OfferedTool | undefined, identical: number): string | undefined {
  if (call.problem) return call.problem
  if (!offered)
    return `There is no tool named ${JSON.stringify(call.name)}. You can call only the tools you were given.`
  if (identical >= warnAfter) {
    return `You requested the same call ${identical} times in a row, so it was not made this time. You will be stopped at the ${endAfter}th identical request in a row.`
  }
  return call.argumentProblem
}
