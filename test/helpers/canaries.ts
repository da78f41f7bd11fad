import type { Client } from '@temporalio/client'
import { eventually } from './eventually.ts'

/** The canaries found in the texts: name and context. */
export function sightings(canaries: Record<string, string>, texts: Iterable<string>): string[] {
  const found: string[] = []
  for (const text of texts) {
    for (const [name, canary] of Object.entries(canaries)) {
      const at = text.indexOf(canary)
      if (at !== -1) found.push(`${name} in: …${text.slice(Math.max(0, at - 200), at + canary.length + 50)}…`)
    }
  }
  return found
}

/**
 * Everything that Temporal stores about the workflows of a task queue: one entry per workflow, with the texts of its
 * history, description, memo, search attributes and metadata. Waits until the workflows of these runs and agents are
 * listed.
 */
export async function heldByTemporal(
  client: Client,
  taskQueue: string,
  { runIds, agentIds }: { runIds: string[]; agentIds: string[] },
): Promise<Map<string, string[]>> {
  const wanted = new Set([...runIds.map((id) => `run/${id}`), ...agentIds.map((id) => `agent/${id}`)])
  const listed = await eventually(20, `Temporal lists ${wanted.size} workflows`, async () => {
    const found = []
    for await (const one of client.workflow.list({ query: `TaskQueue = "${taskQueue}"` })) {
      found.push(one)
    }
    return wanted.isSubsetOf(new Set(found.map(({ workflowId }) => workflowId))) ? found : undefined
  })
  const held = new Map<string, string[]>()
  for (const one of listed) {
    const handle = client.workflow.getHandle(one.workflowId, one.runId)
    const description = await handle.describe()
    const texts = [...textsIn(one.raw), ...textsIn(description.raw), ...textsIn(await handle.fetchHistory())]
    held.set(`${one.workflowId} ${one.runId}`, [
      ...texts,
      JSON.stringify(await metadataOf(client, one.workflowId, one.runId)),
    ])
  }
  return held
}

/** What the Temporal UI shows as "current details", queried as the UI does; needs a worker. */
export const metadataOf = (client: Client, workflowId: string, runId?: string): Promise<{ currentDetails?: string }> =>
  client.workflow.getHandle(workflowId, runId).query('__temporal_workflow_metadata')

/** Every text in a decoded protobuf message: strings, and bytes read as text, base64 in JSON included. */
export function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    yield value
    if (/^[\w+/]{8,}={0,2}$/.test(value)) yield Buffer.from(value, 'base64').toString()
  } else if (value instanceof Uint8Array) {
    yield Buffer.from(value).toString()
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      yield key
      yield* textsIn(member)
    }
  }
}
