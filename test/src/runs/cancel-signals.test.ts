import { Client, Connection } from '@temporalio/client'
import test from 'ava'
import * as agents from '../../../api/agents.ts'
import { Run } from '../../../src/runs/run.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { newOwner } from '../../helpers/owner.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { cancel } from '../../helpers/runs.ts'

// Ends are forced very late here: a run whose workflow is cancelled before that has been told so through Temporal.
test('a run is told of its end through Temporal, at work or waiting, whoever has asked for it', async (t) => {
  const platform = await startPlatform(t, { worker: true, env: { CANCEL_SECONDS: '60' } })
  const connection = await Connection.connect({ address: platform.config.temporal.address })
  t.teardown(() => connection.close())
  const { workflow } = new Client({ connection })
  const owner = await newOwner(t, platform)
  async function begin(systemPrompt: string) {
    const { id: agentId } = await owner.agent({ systemPrompt })
    const { id } = (await owner.start({ id: agentId })).body
    await owner.happened(id, 'step.started')
    return { id, params: { agentId } }
  }
  const scripts = ['[[sleep 60]]', '[[sleep 60]]', '[[sleep 3]] [[call nothing {}]]']
  const [cancelled, deleted, waits] = await Promise.all(scripts.map(begin))
  await call(owner, agents.pauseAgent, { params: waits!.params })
  await owner.waiting(waits!.id)
  for (const { id } of [cancelled!, waits!]) await cancel(owner, id)
  await call(owner, agents.deleteAgent, { params: deleted!.params })
  for (const { id } of [cancelled!, waits!, deleted!]) {
    await eventually(10, 'its workflow is cancelled', async () => {
      const { status } = await workflow.getHandle(`run/${id}`).describe()
      return status.name === 'CANCELLED' || undefined
    })
    const reason = id === deleted!.id ? 'AGENT_DELETED' : 'CANCELLED_BY_OWNER'
    t.like(await Run.query(platform.services.database).findById(id), { status: 'cancelled', reason, epoch: 1 })
  }
  t.false(platform.logs.some((line) => line.includes('cancel-forced')))
})
