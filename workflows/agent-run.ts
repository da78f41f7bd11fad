import {
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow'
import type { Activities } from '../activities/index.ts'
import {
  resumeSignal,
  searchAttributes,
  toolQueueOf,
  type AgentRunInput,
  type Next,
  type PlannedCall,
  type Step,
} from './messages.ts'
import { modelOptions, recordOptions, toolOptions } from './options.ts'

const { endRun } = proxyLocalActivities<Activities>(recordOptions)
const { advance } = proxyActivities<Activities>(modelOptions)
const { callTool } = proxyActivities<Activities>(toolOptions)

const resume = defineSignal(resumeSignal)

type End = Extract<Step, { kind: 'end' }>

/**
 * One run: a model step, its tool calls in parallel, the next model step, until the record says that it ends. The
 * workflow stores nothing that the record lacks, so an execution that takes over just asks for the next move. The step
 * that ends it records the ending, because its queue may be gone: terminated by an operator, or lost with Temporal's
 * storage. Returns what the queue does next.
 */
export async function agentRun(input: AgentRunInput): Promise<Next> {
  try {
    return close(await follow(input))
  } catch (error) {
    if (isCancellation(error)) await endCancelled(input)
    throw error
  }
}

async function follow(input: AgentRunInput): Promise<End> {
  let step = input.steps + 1
  let resumed = false
  setHandler(resume, () => {
    resumed = true
  })
  for (;;) {
    setCurrentDetails(`Step ${step}: waiting for the model.`)
    // Reset before asking the record: a signal that arrives meanwhile may be newer than the answer.
    resumed = false
    const move = await ask(input, step)
    if (move.kind === 'end') return move
    if (move.kind === 'wait') await pause(move, () => resumed)
    if (move.kind === 'tools') await callTools(input, move.step, move.calls)
    if (move.kind === 'tools') step = move.step + 1
    if (move.kind === 'model') step = move.step
    // The record knows where the run is, so nothing is lost. The queue waits for the whole chain.
    if (isLong()) await continueAsNew<typeof agentRun>({ ...input, steps: step - 1 })
  }
}

/** A pause has no limit, but an execution has: after a day, another one continues. */
const isLong = (): boolean =>
  workflowInfo().continueAsNewSuggested || Date.now() - workflowInfo().runStartTime.getTime() > dayMs

const dayMs = 24 * 60 * 60 * 1000

/** Sleeps, for days if necessary. The record decides how long; a signal may end it earlier. */
async function pause({ cause, ms }: Extract<Step, { kind: 'wait' }>, isResumed: () => boolean): Promise<void> {
  setCurrentDetails(pauseDetails[cause])
  upsertSearchAttributes([{ key: searchAttributes.waitingFor, value: cause }])
  await condition(isResumed, ms)
  upsertSearchAttributes([{ key: searchAttributes.waitingFor, value: null }])
}

const pauseDetails = {
  rate_limit: 'Waiting: the site accepts only a limited number of calls a minute.',
  credential: 'Waiting: the owner has to reconnect a site.',
  approval: 'Waiting: somebody has to approve a tool call.',
  job: 'Waiting: a site works on a tool call.',
  paused: 'Waiting: the agent is paused.',
  credits: 'Waiting: the owner has no credits left.',
  model: 'Waiting: the AI model is unavailable.',
} as const

const ask = (input: AgentRunInput, step: number): Promise<Step> => {
  const { agentId, claimant } = input
  return advance.executeWithOptions({ ...modelOptions, summary: `step ${step}` }, [
    { ...refOf(input), agentId, claimant },
  ])
}

async function callTools(input: AgentRunInput, step: number, calls: PlannedCall[]): Promise<void> {
  setCurrentDetails(`Step ${step}: waiting for ${calls.length} tool call(s).`)
  const taskQueue = toolQueueOf(workflowInfo().taskQueue)
  await Promise.all(
    calls.map(({ callId, label }) =>
      callTool.executeWithOptions({ ...toolOptions, taskQueue, summary: label || 'tool call' }, [
        { ...refOf(input), callId },
      ]),
    ),
  )
}

/**
 * Closes this workflow with the matching status in Temporal. It closes as failed if only the record requested its
 * cancellation: Temporal shows as cancelled only what it was asked to cancel.
 */
function close({ status, reason, next }: End): Next {
  setCurrentDetails(reason ? `Ended: ${status} (${reason}).` : `Ended: ${status}.`)
  if (status === 'cancelled' || status === 'skipped') throw new CancelledFailure('the run was cancelled')
  if (status === 'failed') throw ApplicationFailure.create({ message: reason ?? 'failed', type: reason ?? 'FAILED' })
  return next
}

async function endCancelled(input: AgentRunInput): Promise<void> {
  await CancellationScope.nonCancellable(() =>
    endRun({ ...refOf(input), agentId: input.agentId, status: 'cancelled', reason: 'CANCELLED_BY_OPERATOR' }),
  )
}

const refOf = ({ runId, ownerId, epoch, requestId }: AgentRunInput) => ({ runId, ownerId, epoch, requestId })
