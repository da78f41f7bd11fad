import {
  ChildWorkflowFailure,
  condition,
  continueAsNew,
  defineSignal,
  executeChild,
  getExternalWorkflowHandle,
  isCancellation,
  proxyLocalActivities,
  setHandler,
  sleep,
  TerminatedFailure,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow'
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common'
import type { Activities } from '../activities/index.ts'
import { agentRun } from './agent-run.ts'
import {
  agentRunId,
  searchAttributes,
  wakeSignal,
  workflowTaskTimeout,
  type AgentQueueInput,
  type AgentRunInput,
  type ClaimedRun,
  type Next,
} from './messages.ts'
import { recordOptions } from './options.ts'

const { claimNext, endRun } = proxyLocalActivities<Activities>(recordOptions)
const wake = defineSignal(wakeSignal)

/**
 * Runs an agent's runs one after the other, in order of sequence. The queue itself is in the record. The first wake
 * starts this workflow. It ends when the record has nothing for it, but lingers a little, because deliveries often come
 * in groups and a workflow start costs more than a signal.
 */
export async function agentQueue(input: AgentQueueInput): Promise<void> {
  let woken = false
  setHandler(wake, () => {
    woken = true
  })
  for (;;) {
    woken = false
    let next: Next = await claimNext({ agentId: input.agentId })
    while (next) next = await carryOut(next, input)
    if (next === undefined) continue
    await condition(() => woken, '3s')
    // Nothing is awaited between this check and the return. A later signal makes Temporal run this again.
    if (!woken) return
    // Wakes that find nothing to do also make the history grow.
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof agentQueue>(input)
  }
}

/** Carries out a run. Its ending claims the next one, unless this execution continues as new before that. */
async function carryOut({ agentName, ...claimed }: ClaimedRun, input: AgentQueueInput): Promise<Next> {
  const { continueAsNewSuggested, runId: claimant } = workflowInfo()
  const next = await execute({ ...claimed, claimant: continueAsNewSuggested ? null : claimant }, agentName)
  // Never while a child runs or a run is claimed: continue-as-new closes this execution and its children.
  if (continueAsNewSuggested) await continueAsNew<typeof agentQueue>(input)
  return next
}

async function execute(run: AgentRunInput, agentName: string): Promise<Next> {
  for (;;) {
    try {
      return await executeChild(agentRun, childOptions(run, agentName))
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) return recordEnding(run, error)
      await evict(run)
    }
  }
}

/**
 * An execution of an earlier epoch is still open, for example after this queue was terminated. The record has fenced it
 * off. Cancelling it frees its id.
 */
async function evict({ runId }: AgentRunInput): Promise<void> {
  await getExternalWorkflowHandle(agentRunId(runId))
    .cancel()
    .catch(() => undefined) // It closed meanwhile.
  await sleep('1s')
}

/** Records the ending of a run in case its workflow could not. Otherwise this changes nothing. */
async function recordEnding({ runId, agentId, epoch }: AgentRunInput, error: unknown): Promise<undefined> {
  const cause = error instanceof ChildWorkflowFailure ? error.cause : error
  const ending = isCancellation(error)
    ? ({ status: 'cancelled', reason: 'CANCELLED_BY_OPERATOR' } as const)
    : ({ status: 'failed', reason: reasonOf(cause) } as const)
  await endRun({ runId, agentId, epoch, ...ending })
}

function reasonOf(cause: unknown) {
  if (cause instanceof TerminatedFailure) return 'TERMINATED'
  return cause instanceof TimeoutFailure ? 'TIMED_OUT' : 'WORKFLOW_FAILED'
}

const childOptions = (run: AgentRunInput, agentName: string) => ({
  workflowId: agentRunId(run.runId),
  args: [run] as [AgentRunInput],
  // The record's epoch tells executions apart, so a resumed run may reuse the id.
  workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
  parentClosePolicy: 'REQUEST_CANCEL' as const,
  // Far above the run's minutes, its longest wait and a model outage together. Only a stuck run gets here, and the
  // reconciler finds that much sooner.
  workflowRunTimeout: '14d' as const,
  workflowTaskTimeout,
  staticSummary: `${run.trigger} run ${run.sequence} of ${agentName}`,
  staticDetails: `The record of this run: \`GET /runs/${run.runId}\`, \`/events\`, \`/why\`.`,
  typedSearchAttributes: [
    { key: searchAttributes.agent, value: run.agentId },
    { key: searchAttributes.owner, value: run.ownerId },
    { key: searchAttributes.trigger, value: run.trigger },
  ],
})
