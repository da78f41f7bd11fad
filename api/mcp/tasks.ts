import type { ClientCapabilities, InputRequests, Server, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Run } from '../../src/runs/run.ts'
import { useRoute } from '../route/use-route.ts'
import { cancelRun, getRun } from '../runs.ts'
import { fitsForm, formFor } from './approval-form.ts'
import { decideAnswered, showsForms } from './decide.ts'
import type { McpUser } from './mcp-user.ts'
import type { TaskHandle } from './offered.ts'
import { runResult } from './run-result.ts'
import { runNow } from './wait-for-run.ts'

/* Runs as tasks (SEP-2663, revision 2026-07-28). The id of a task is that of its run. */

export const tasksExtension = 'io.modelcontextprotocol/tasks'

export const knowsTasks = ({ extensions }: ClientCapabilities): boolean => extensions?.[tasksExtension] !== undefined

const pollIntervalMs = 2000

function taskOf(user: McpUser, run: Run) {
  const times = [run.acceptedAt, run.startedAt, run.waitingSince, run.endedAt].filter((time) => time !== null)
  return {
    taskId: run.id,
    createdAt: run.acceptedAt.toISOString(),
    lastUpdatedAt: new Date(Math.max(...times.map(Number))).toISOString(),
    // A run is kept this long after its end.
    ttlMs: user.services.config.runRetentionDays * 86_400_000,
    pollIntervalMs,
  }
}

export const taskHandle = (user: McpUser, run: Run): TaskHandle => ({
  resultType: 'task',
  ...taskOf(user, run),
  status: 'working',
  content: [],
})

/** The task in its present state, with its result or with what it asks. RUN_NOT_FOUND. */
async function readTask(user: McpUser, runId: string, capabilities: ClientCapabilities) {
  await useRoute(getRun, user, { params: { runId } })
  const { run, pending } = await runNow(user, runId)
  const task = taskOf(user, run)
  if (run.status === 'cancelled') return { ...task, status: 'cancelled' }
  if (run.endedAt !== null) return { ...task, status: 'completed', result: await runResult(user, run) }
  const shown = showsForms(user, capabilities) ? pending.filter(fitsForm) : []
  if (shown.length === 0) return { ...task, status: 'working', statusMessage: `The run is ${run.status}.` }
  const inputRequests: InputRequests = Object.fromEntries(shown.map((one) => [one.id, formFor(one)]))
  return { ...task, status: 'input_required', inputRequests }
}

/** The answers to what a task asked. Its approvals never change, so the ids say what was shown. */
async function updateTask(user: McpUser, runId: string, answers: Record<string, unknown>): Promise<void> {
  await useRoute(getRun, user, { params: { runId } })
  const { pending } = await runNow(user, runId)
  const shown = Object.fromEntries(pending.map(({ id, argumentsHash }) => [id, argumentsHash]))
  if (user.scopes.has('decide')) await decideAnswered(user, runId, answers, shown)
}

const named = z.object({ taskId: z.string().max(64) })

interface TaskServing {
  capabilitiesOf: (ctx: ServerContext) => ClientCapabilities
  guarded: <T>(work: () => Promise<T>) => Promise<T>
}

/** Serves the methods of tasks. `guarded` turns the platform's errors into the protocol's. */
export function serveTasks(server: Server, user: McpUser, { capabilitiesOf, guarded }: TaskServing): void {
  server.setRequestHandler('tasks/get', { params: named }, ({ taskId }, ctx) =>
    guarded(() => readTask(user, taskId, capabilitiesOf(ctx))),
  )
  // The library takes the answers out of the parameters.
  server.setRequestHandler('tasks/update', { params: named }, ({ taskId }, { mcpReq }) =>
    guarded(async () => {
      await updateTask(user, taskId, mcpReq.inputResponses ?? {})
      return {}
    }),
  )
  server.setRequestHandler('tasks/cancel', { params: named }, ({ taskId }) =>
    guarded(async () => {
      await useRoute(cancelRun, user, { params: { runId: taskId } })
      return {}
    }),
  )
}
