import { setTimeout as delay } from 'node:timers/promises'
import type { Approval } from '../../src/approvals/approval.ts'
import { isCoded } from '../../src/errors.ts'
import type { Run } from '../../src/runs/run.ts'
import { pendingOf } from './decide.ts'
import type { McpUser } from './mcp-user.ts'

/** How long a response waits for a run, in milliseconds. Many clients and proxies give up after a minute. */
export const longestWaitMs = 50_000
const pollMs = 300

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
 * has too many open responses does not wait.
 */
export async function waitForRun(user: McpUser, runId: string, gone: AbortSignal): Promise<RunNow> {
  const ending = new AbortController()
  const leave = stay(user, () => ending.abort())
  const signal = AbortSignal.any([gone, ending.signal, AbortSignal.timeout(leave ? longestWaitMs : 0)])
  try {
    for (;;) {
      const now = await runNow(user, runId)
      if (now.run.endedAt !== null || now.pending.length > 0 || signal.aborted) return now
      await delay(pollMs, undefined, { signal }).catch(() => {})
    }
  } finally {
    leave?.()
  }
}

function stay(user: McpUser, end: () => void): (() => void) | undefined {
  try {
    return user.stay(end)
  } catch (error) {
    if (isCoded(error, 'RATE_LIMITED')) return undefined
    throw error
  }
}
