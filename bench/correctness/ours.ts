import * as vault from '../../api/vault.ts'
import { freePorts } from '../../bin/local/ports.ts'
import { call } from '../../test/helpers/client.ts'
import { onServer } from '../../test/helpers/database.ts'
import { customer, webhookAgent } from '../../test/helpers/people.ts'
import { nodeProgram } from '../shared/programs.ts'
import type { BenchStores } from '../shared/servers.ts'
import type { Contestant } from './contestant.ts'
import type { Inbox } from './items.ts'
import type { ListSite } from './site.ts'

/**
 * The platform with its defaults. Each item is a run of the demo model, which calls the tool of the site. The tool has
 * the effect `once`: the platform must not repeat a call that may have taken effect.
 */
export async function openOurs(stores: BenchStores, site: ListSite, agents: number): Promise<Contestant> {
  const [healthPort = 0] = await freePorts(1)
  const accepting = nodeProgram('bin/api.ts', stores.env, 'listening')
  const working = nodeProgram('bin/worker.ts', { ...stores.env, WORKER_HEALTH_PORT: String(healthPort) }, 'polling')
  await Promise.all([accepting.start(), working.start()])
  const owner = await customer(stores, 'enterprise')
  const { id: vaultEntryId } = (await call(owner, vault.addToVault, { body: { url: site.origin, token: 'any' } })).body
  const inboxes = await Promise.all(
    Array.from({ length: agents }, async (): Promise<Inbox> => {
      const agent = await webhookAgent(owner, { allowActionOverride: true, sites: [{ vaultEntryId }] })
      return {
        agent: agent.id,
        url: `${stores.url}/api/webhooks/agent/${agent.id}`,
        headers: { 'x-webhook-secret': agent.webhookSecret },
        bodyOf: (number) =>
          JSON.stringify({
            action: `[[call append ${JSON.stringify({ agent: agent.id, number })}]] [[then]] [[say done]]`,
          }),
      }
    }),
  )
  return {
    name: 'Switchyard',
    inboxes,
    victims: { accepting, working },
    reported: () => doubts(stores.database),
    close: () => Promise.all([accepting.stop(), working.stop()]),
  }
}

/** Calls whose outcome the timeline records as unknown, because the worker was killed during the call. */
const doubts = (database: string): Promise<string> =>
  onServer(database, async (client) => {
    const { rows } = await client.query<{ found: number }>(
      "select count(*)::int as found from tool_calls where status = 'unknown'",
    )
    return `${rows[0]?.found ?? 0} calls are recorded as unknown and were not repeated`
  })
