import { inputResponse, type ClientCapabilities, type InputRequests } from '@modelcontextprotocol/server'
import { formOf, type Approval } from '../../src/approvals/approval.ts'
import { assertThat, isCoded } from '../../src/errors.ts'
import { decideApproval } from '../approvals.ts'
import { useRoute } from '../route/use-route.ts'
import { fitsForm, formFor } from './approval-form.ts'
import type { McpUser } from './mcp-user.ts'

/**
 * Whether approvals may be shown to a person: the client has forms, and its user allowed it to decide. A model has no
 * part in it, because no tool takes a decision as an argument.
 */
function showsForms({ scopes }: Pick<McpUser, 'scopes'>, { elicitation }: ClientCapabilities): boolean {
  if (!scopes.has('decide') || elicitation === undefined) return false
  return 'form' in elicitation || Object.keys(elicitation).length === 0
}

/** Those of the approvals that are shown to a person in forms. */
export const shownOf = (user: McpUser, capabilities: ClientCapabilities, pending: readonly Approval[]): Approval[] =>
  showsForms(user, capabilities) ? pending.filter(fitsForm) : []

/** The forms for approvals. The hash in each key shows that an answer is to what was shown. */
export const formsFor = (shown: readonly Approval[]): InputRequests =>
  Object.fromEntries(shown.map((one) => [keyOf(one.id, one.argumentsHash), formFor(one)]))

const keyOf = (approvalId: string, argumentsHash: string): string => `${approvalId} ${argumentsHash}`

/** The approvals of a run that wait for a decision, oldest first. */
export async function pendingOf(user: McpUser, run: { id: string; agentId: string }): Promise<Approval[]> {
  const asked = { agentId: run.agentId, status: 'pending', limit: 100 } as const
  const { items } = await user.services.approvals.list(user.ownerId, asked)
  return items.filter(({ runId }) => runId === run.id).toReversed()
}

type Answers = Record<string, unknown>

/**
 * Passes on what a person decided about approvals of a run. Those that are not answered, or not as their form wants, stay
 * pending. `shown` are the hashes of the arguments that the person saw. Returns whether the person left a form.
 * PERMISSION_DENIED if the client may not decide now.
 */
export async function decideAnswered(
  user: McpUser,
  runId: string,
  answers: Answers | undefined,
  shown: Readonly<Record<string, string>>,
): Promise<boolean> {
  assertThat(user.scopes.has('decide'), 'PERMISSION_DENIED', { message: 'This needs the scope "decide".' })
  let hasLeft = false
  for (const [approvalId, argumentsHash] of Object.entries(shown)) {
    const view = inputResponse(answers, keyOf(approvalId, argumentsHash))
    if (view.kind !== 'elicit') continue
    if (view.action === 'cancel') hasLeft = true
    else await decideOne(user, { runId, approvalId, argumentsHash }, view)
  }
  return hasLeft
}

interface Elicited {
  action: 'accept' | 'decline' | 'cancel'
  content?: Record<string, unknown>
}

async function decideOne(
  user: McpUser,
  { runId, approvalId, argumentsHash }: { runId: string; approvalId: string; argumentsHash: string },
  answer: Elicited,
): Promise<void> {
  const approval = await user.services.approvals.get(user.ownerId, approvalId)
  const decision = decisionIn(approval, answer)
  if (approval.runId !== runId || decision === undefined) return
  try {
    await useRoute(decideApproval, user, { params: { approvalId }, body: { ...decision, argumentsHash } })
  } catch (error) {
    // Somebody else has decided, or the values do not fit. What is still pending is asked again.
    if (!isCoded(error, 'VALIDATION_ERROR')) throw error
  }
}

function decisionIn(approval: Approval, { action, content = {} }: Elicited): object | undefined {
  if (action === 'decline') return { decision: 'refuse' }
  if (formOf(approval)) return { decision: 'approve', input: content }
  const { decision, note } = content
  if (decision !== 'approve' && decision !== 'refuse') return undefined
  return { decision, ...(typeof note === 'string' && note !== '' && { note }) }
}
