import type { ExecutionContext } from 'ava'
import * as vault from '../../api/vault.ts'
import { asked } from './approvals.ts'
import { askingTools } from './asking-tools.ts'
import { call } from './client.ts'
import { startMcpServer } from './mcp-server.ts'
import { agentOf, customer, ended, timelineOf } from './people.ts'
import type { Platform } from './platform.ts'
import { dataOf, start, waiting } from './runs.ts'

/** A person who has connected a server whose tools ask in the middle of a call. */
export async function withAskingTools(t: ExecutionContext, platform: Platform) {
  const ordered: unknown[] = []
  const server = await startMcpServer(t, { more: askingTools(ordered) })
  const someone = await customer(platform)
  const entry = (await call(someone, vault.addToVault, { body: { url: server.url } })).body
  /** The approval that waits. */
  const next = async () => {
    const [approval] = await asked(someone)
    if (!approval) throw new Error('nobody was asked')
    return approval
  }
  const sent = () => server.calls().map(({ body }) => (JSON.parse(body) as { params: Record<string, unknown> }).params)
  return { server, someone, vaultEntryId: entry.id, next, sent, ordered }
}

/** A run that waits, because its first call asks. */
export async function askingRun(
  t: ExecutionContext,
  platform: Platform,
  toolName: string,
  askFirst: string[] = [],
  then = '[[say Done.]]',
) {
  const tools = await withAskingTools(t, platform)
  const { someone, vaultEntryId } = tools
  const systemPrompt = `[[call ${toolName}]] [[then]] ${then}`
  const agent = await agentOf(someone, { systemPrompt, sites: [{ vaultEntryId, askFirst }] })
  const { id } = (await start(someone, agent)).body
  await waiting(someone, id)
  /** Waits for the end of the run, and returns what has become of its call. */
  const outcome = async () => {
    await ended(someone, id, 60)
    const [finished, ...others] = dataOf(await timelineOf(someone, id), 'tool.finished')
    if (!finished || others.length > 0) throw new Error('the call did not end once')
    return finished
  }
  return { ...tools, id, outcome }
}
