import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { createMCPClient, type MCPClient } from '@ai-sdk/mcp'
import pMap from 'p-map'
import { temporaryCertificates } from '../../helpers/https-server.ts'
import { isApi, requestOf } from './apis.ts'
import type { PlannedCall, ServerName } from './plan.ts'

const attempts = [1, 2, 3]
const clients = 6
const timeout = 5000

/**
 * The same calls to the same servers by the AI SDK's client, and to the APIs by `fetch`, in a process that nobody kills,
 * with two retries after a failure, as programs usually have. Returns how many calls failed in the end.
 */
export async function playOnSdk(urls: Record<ServerName, string>, plan: PlannedCall[]): Promise<number> {
  const { caFile } = await temporaryCertificates()
  setDefaultCACertificates([...getCACertificates('default'), await readFile(caFile, 'utf8')])
  const kept = new Map<ServerName, Promise<MCPClient>>()
  const clientOf = (server: ServerName): Promise<MCPClient> => {
    const client = kept.get(server) ?? createMCPClient({ transport: { type: 'http', url: urls[server] } })
    kept.set(server, client)
    return client
  }

  async function callTool({ server, tool: name, arguments: given }: PlannedCall): Promise<void> {
    const client = await clientOf(server)
    await client.callTool({ name, arguments: given, options: { timeout, signal: AbortSignal.timeout(timeout) } })
  }

  async function insist(planned: PlannedCall): Promise<boolean> {
    const { server } = planned
    for (const attempt of attempts) {
      if (attempt > 1) await delay(100 * attempt)
      try {
        if (isApi(server)) await request(urls[server], planned)
        else await callTool(planned)
        return true
      } catch {
        // A client whose connection failed may be of no use any longer.
        kept.delete(server)
      }
    }
    return false
  }

  const succeeded = await pMap(plan, insist, { concurrency: clients })
  await Promise.allSettled([...kept.values()].map(async (client) => (await client).close()))
  return succeeded.filter((one) => !one).length
}

async function request(documentUrl: string, planned: PlannedCall): Promise<void> {
  const { path, init } = requestOf(planned)
  const url = new URL(`/v1${path}`, documentUrl)
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeout) })
  await response.text()
}
