import type { Approval } from '../../src/approvals/approval.ts'
import { isCoded } from '../../src/errors.ts'
import type { Run } from '../../src/runs/run.ts'
import { pendingOf } from './decide.ts'
import type { McpUser } from './mcp-user.ts'
import { inPlace } from './waiting.ts'

export interface RunNow {
  run: Run
  pending: Approval[]
}

export async function runNow(user: McpUser, runId: string): Promise<RunNow> {
  const run = await user.services.runs.reading.get(user.ownerId, runId)
  const pending = run.waitingCause === 'approval' ? await pendingOf(user, run) : []
  return { run, pending }
}

/**
 * Waits until the run has ended, or a person has to decide, or the time is over, or the client has gone. A process that
 * has too many open responses does not wait. Fails with the cause if the sender has lost access.
 */
export async function waitForRun(user: McpUser, runId: string, gone: AbortSignal): Promise<RunNow> {
  try {
    return await inPlace(user, gone, (over) => watched(user, runId, over))
  } catch (error) {
    if (isCoded(error, 'RATE_LIMITED')) return runNow(user, runId)
    throw error
  }
}

/** Looks again after each event of the run. All who watch a run share the polls for them. */
async function watched(user: McpUser, runId: string, over: AbortSignal): Promise<RunNow> {
  const isSettled = ({ run, pending }: RunNow) => run.endedAt !== null || pending.length > 0
  let now = await runNow(user, runId)
  if (isSettled(now)) return now
  for await (const page of user.services.runs.watching.watch(now.run, now.run.events, over, 'outline')) {
    if (page.every(({ kind }) => kind === 'words')) continue
    now = await runNow(user, runId)
    if (isSettled(now)) return now
  }
  return runNow(user, runId)
}
