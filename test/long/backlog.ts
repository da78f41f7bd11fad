import test from 'ava'
import { measured, repairsIn, untilEvent } from '../crash/record.ts'
import { openStage } from '../crash/stage.ts'
import { eventually } from '../helpers/eventually.ts'
import { customer, deliver, ended, webhookAgent } from '../helpers/people.ts'
import { cancel } from '../helpers/runs.ts'

/* A worker that cannot keep up is not a fault. It takes a minute and more: npm run long -- backlog */
const agents = 500
const occupiedSeconds = 240

// @promise backlogs
test('500 runs that wait for the one free slot of a worker are left alone, and all complete in their first epoch', async (t) => {
  t.timeout(9 * 60_000)
  const stage = await openStage(t, { env: { WORKER_ACTIVITIES: '1' } })
  const { platform } = stage
  const { database } = platform.services
  const [worker, api] = [await stage.startWorker(), await stage.startApi()]
  const someone = await customer(platform, 'enterprise')
  const busy = await webhookAgent(someone, { systemPrompt: `[[sleep ${occupiedSeconds}]]` })
  const { runId: occupant } = (await deliver(platform, busy, {})).body
  await untilEvent(someone, occupant, 'step.started')
  const began = Date.now()

  const waiting: string[] = []
  for (let number = 1; number <= agents; number += 1) {
    const agent = await webhookAgent(someone, { systemPrompt: '[[say done]]' })
    waiting.push((await deliver(platform, agent, {})).body.runId)
  }
  measured(t, `${Date.now() - began} ms until ${agents} agents had a run each`)

  // Each is looked at, found stalled, and compared with what Temporal has: until then it is due when it would stall.
  const rows = new Map<string, Set<number>>()
  await eventually(occupiedSeconds, 'every agent has been looked at twice while it stood still', async () => {
    const due = await database('due_agents').select<{ id: number; agentId: string }[]>('id', 'agentId')
    for (const { id, agentId } of due) rows.set(agentId, (rows.get(agentId) ?? new Set()).add(id))
    const looked = [...rows.values()].filter((ids) => ids.size > 2).length
    return looked >= agents || undefined
  })
  measured(t, `${Date.now() - began} ms until each had been looked at twice`)
  t.is((await database('runs').whereIn('id', waiting).where('steps', '>', 0)).length, 0)

  await cancel(someone, occupant)
  t.is((await ended(someone, occupant)).status, 'cancelled')
  await eventually(240, 'every run has ended', async () => {
    const open = await database('runs').whereIn('id', waiting).whereNull('endedAt').count({ runs: '*' }).first()
    return Number(open?.['runs']) === 0 || undefined
  })
  measured(t, `${Date.now() - began} ms until all had ended`)
  const all = await database('runs').whereIn('id', waiting).select('status', 'epoch')
  t.deepEqual([...new Set(all.map(({ status, epoch }) => `${status} in epoch ${epoch}`))], ['completed in epoch 1'])
  const restarts = repairsIn([...worker.logs, ...api.logs, ...platform.logs])
  t.deepEqual(
    restarts.filter(({ repair }) => repair !== 'start'),
    [],
  )
  measured(t, `repairs: ${restarts.length} queues were told again to look, nothing was restarted`)
})
