import test from 'ava'
import { eventually } from '../helpers/eventually.ts'
import { connectBadTools, customer, deliver, webhookAgent } from '../helpers/people.ts'
import { isGapless, measured } from './record.ts'
import { openStage } from './stage.ts'

test('an API that is killed under a burst of deliveries has a run for every 202, and each run happens once', async (t) => {
  const stage = await openStage(t, { sites: true, env: { STALL_SECONDS: '1' } })
  const api = await stage.startApi()
  const someone = await customer(stage.platform)
  const sites = [{ vaultEntryId: await connectBadTools(someone, stage.sites) }]
  const agents = await Promise.all(
    [1, 2].map(() => webhookAgent(someone, { systemPrompt: '[[call slow_once {"seconds":0}]]', sites })),
  )
  const receipts: { runId: string; sequence: number }[] = []
  const sending = Array.from({ length: 8 }, async (_, sender) => {
    for (let number = 0; number < 200; number += 1) {
      const agent = agents[(sender + number) % 2]
      if (agent) receipts.push((await deliver(api, agent, { sender, number })).body)
    }
  })
  const broken = Promise.allSettled(sending)
  await eventually(10, 'the burst is under way', () => (receipts.length >= 40 ? true : undefined))
  await api.kill()
  t.true((await broken).every(({ status }) => status === 'rejected'))
  await stage.startWorker({}, { bundles: true })

  const { database } = stage.platform.services
  type Row = { id: string; agent_id: string; sequence: number; status: string }
  const rows = await eventually(60, 'every run ends', async () => {
    const { rows: found } = await database.raw<{ rows: Row[] }>(
      'select id, agent_id, sequence, status from runs order by agent_id, sequence',
    )
    return found.every(({ status }) => status === 'completed') ? found : undefined
  })
  measured(t, `${receipts.length} answered with 202, ${rows.length} accepted`)
  const known = new Set(rows.map(({ id }) => id))
  t.true(receipts.every(({ runId }) => known.has(runId)))
  for (const { id } of agents) {
    t.true(isGapless(rows.filter(({ agent_id: agentId }) => agentId === id).map(({ sequence }) => sequence)))
  }
  const keys = stage.sites.badTools.requests().map(({ idempotencyKey }) => idempotencyKey)
  t.is(keys.length, rows.length)
  t.is(new Set(keys).size, keys.length)
  t.true(rows.every(({ id }) => keys.includes(`${id}:1:0`)))
})
