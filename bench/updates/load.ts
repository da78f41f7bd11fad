import { migrations } from '../../migrations/index.ts'
import { createDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { newId } from '../../src/ids.ts'
import { createLogger } from '../../src/logger.ts'
import { createServices, type Services } from '../../src/services.ts'
import { testConfig } from '../../test/helpers/config.ts'

const agentCount = 50
const concurrency = 8

/** Five steps: in each of the first four, the model asks for a tool that does not exist. */
const systemPrompt = `${[1, 2, 3, 4].map((n) => `[[call nothing {"n": ${n}}]] [[then]]`).join(' ')} [[say done]]`

const payload = JSON.stringify({ event: 'post.created', note: 'x'.repeat(200) })

/** Migrates the database, sets fillfactors, carries out the runs, and returns their count. */
export async function carryOut(url: string, count: number, fillfactors: [string, string][]): Promise<number> {
  const logger = createLogger('error', 'bench')
  const database = createDatabase({ database: { url, pool: 4 } }, logger, { deadlines: false })
  await migrate(database, migrations, () => undefined)
  for (const [table, value] of fillfactors)
    await database.raw(`alter table ?? set (fillfactor = ${Number(value)})`, [table])
  await database.destroy()
  const services = createServices(testConfig(url, { DEMO_DIRECTIVES: 'true', DATABASE_POOL: '12' }), logger)
  Object.assign(services.temporal, { wakeSoon: () => undefined, isReachable: () => Promise.resolve(false) })
  try {
    const agents = await makeAgents(services)
    const rounds = Math.ceil(count / agentCount)
    await Promise.all(
      Array.from({ length: concurrency }, async (_, nth) => {
        const own = agents.filter((_agent, number) => number % concurrency === nth)
        for (let round = 0; round < rounds; round += 1) for (const agentId of own) await wholeRun(services, agentId)
      }),
    )
    return rounds * agentCount
  } finally {
    await services.close()
  }
}

/** From the delivery to the end, as workers would do it. */
async function wholeRun({ runs }: Services, agentId: string): Promise<void> {
  const { accept, queue, steps, ending } = runs
  const identity = { requestId: newId(), idempotencyKey: newId(), bodyHash: 'a1'.repeat(32) }
  await accept.one({ agentId, trigger: 'webhook', payload, ...identity })
  const claimed = await queue.claimNext(agentId, 'bench')
  if (!claimed) throw new Error('there was nothing to claim')
  const { signal } = new AbortController()
  let move = await steps.advance(claimed, signal)
  while (move.kind === 'model') move = await steps.advance(claimed, signal)
  if (move.kind !== 'end') throw new Error(`the run did not end, but asked for ${move.kind}`)
  await ending.end({ ...claimed, agentId }, move)
}

async function makeAgents({ database }: Services): Promise<string[]> {
  const ownerId = newId()
  await database.raw(ownerStatement, { ownerId })
  await database.raw(accountStatement, { ownerId })
  const agentIds = Array.from({ length: agentCount }, newId)
  await database.raw(agentsStatement, { ownerId, agentIds, systemPrompt })
  await database.raw(queuesStatement, { agentIds })
  return agentIds
}

const ownerStatement = `
  insert into users (id, created_at, email, password_hash) values (:ownerId, now(), 'bench@example.com', 'none')`

const accountStatement = `
  insert into accounts (owner_id, balance, credit_cents, clock_seconds, current_period_end, created_at, tier,
                        subscription, subscription_status)
    values (:ownerId, 0, 0, 0, now() + interval '300 days', now(), 'enterprise', 'sandbox_bench', 'active')`

const agentsStatement = `
  insert into agents (id, owner_id, created_at, updated_at, allow_action_override, summarizes, trigger, name, system_prompt,
                      webhook_secret, webhook_proof)
    select unnest(:agentIds::uuid[]), :ownerId, now(), now(), false, false, 'webhook', 'An agent', :systemPrompt, 'none', 'secret'`

const queuesStatement = `
  insert into agent_queues (agent_id, progressed_at, signalled_at) select unnest(:agentIds::uuid[]), now(), now()`
