import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Approval } from '../../src/approvals/approval.ts'
import { approvalPage, runPage } from '../../src/console-pages.ts'
import type { Run } from '../../src/runs/run.ts'
import type { McpUser } from './mcp-user.ts'
import { resultOf } from './results.ts'

/** What a client learns about a run: its answer, or its state and where to look. */
export async function runResult(user: McpUser, run: Run, pending: readonly Approval[] = []): Promise<CallToolResult> {
  const { runs, config } = user.services
  const { baseUrl } = config.http
  const { id: runId, status, reason, error, endedAt } = run
  const shared = { runId, status, url: `${baseUrl}${runPage(runId)}` }
  if (status === 'completed') return resultOf({ ...shared, ...(await runs.reading.answerOf(run)) })
  if (endedAt !== null) return { ...resultOf({ ...shared, reason, error }), isError: true }
  const approvals = pending.map(({ id }) => `${baseUrl}${approvalPage(id)}`)
  return resultOf({ ...shared, ...(approvals.length > 0 ? { approvals, message: waits } : { message: goesOn }) })
}

const goesOn = 'The run has not ended. Use get_run with its id later.'
const waits = 'The run waits until a person decides about a tool call at these addresses. Tell the user.'
