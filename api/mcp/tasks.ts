import type { ClientCapabilities, Server, ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Run } from '../../src/runs/run.ts'
import { useRoute } from '../route/use-route.ts'
import { cancelRun, getRun } from '../runs.ts'
import { decideAnswered, formsFor, shownOf } from './decide.ts'
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
  const shown = shownOf(user, capabilities, pending)
  if (shown.length === 0) return { ...task, status: 'working', statusMessage: `The run is ${run.status}.` }
  return { ...task, status: 'input_required', inputRequests: formsFor(shown) }
}

/** The answers to what a task asked. Only what this client could show counts. */
async function updateTask(user: McpUser, runId: string, { answers, capabilities }: Answered): Promise<void> {
  await useRoute(getRun, user, { params: { runId } })
  const { pending } = await runNow(user, runId)
  const shown = shownOf(user, capabilities, pending).map(({ id, argumentsHash }) => [id, argumentsHash])
  await decideAnswered(user, runId, answers, Object.fromEntries(shown) as Record<string, string>)
}

interface Answered {
  answers: Record<string, unknown> | undefined
  capabilities: ClientCapabilities
}

const named = z.object({ taskId: z.string().max(64) })

export type Guarded = <T>(work: () => Promise<T>) => Promise<T>

interface TaskServing {
  capabilitiesOf: (ctx: ServerContext) => ClientCapabilities
  guarded: Guarded
}

/** Serves the methods of tasks. `guarded` turns the platform's errors into the protocol's. */
export function serveTasks(server: Server, user: McpUser, { capabilitiesOf, guarded }: TaskServing): void {
  server.setRequestHandler('tasks/get', { params: named }, ({ taskId }, ctx) =>
    guarded(() => readTask(user, taskId, capabilitiesOf(ctx))),
  )
  // The library takes the answers out of the parameters.
  server.setRequestHandler('tasks/update', { params: named }, ({ taskId }, ctx) =>
    guarded(async () => {
      await updateTask(user, taskId, { answers: ctx.mcpReq.inputResponses, capabilities: capabilitiesOf(ctx) })
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
