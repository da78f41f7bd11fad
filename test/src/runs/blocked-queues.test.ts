import test from 'ava'
import * as agents from '../../../api/agents.ts'
import { call } from '../../helpers/client.ts'
import { hold } from '../../helpers/hold.ts'
import { customer, deliver, webhookAgent, type Person } from '../../helpers/people.ts'
import { startPlatform, type Platform } from '../../helpers/platform.ts'

/** A webhook agent whose queue is blocked because the agent is paused. */
async function pausedAgent(platform: Platform, someone: Person) {
  const agent = await webhookAgent(someone)
  await call(someone, agents.pauseAgent, { params: { agentId: agent.id } })
  await deliver(platform, agent, { number: 1 })
  await platform.services.runs.claimNext(agent.id)
  return agent
}

test('a queue that somebody has locked does not keep the others from being opened, and is opened the next time', async (t) => {
  const platform = await startPlatform(t)
  const { database, runs } = platform.services
  const someone = await customer(platform)
  const [locked, free] = [await pausedAgent(platform, someone), await pausedAgent(platform, someone)]
  await database('agents').update({ pausedAt: null })
  const open = async () => (await runs.blockedQueues.open()).map(({ agentId }) => agentId)
  const letGo = await hold(database, (trx) => trx('agent_queues').where({ agentId: locked.id }).forUpdate())
  try {
    t.deepEqual(await open(), [free.id])
  } finally {
    await letGo()
  }
  t.deepEqual(await open(), [locked.id])
  t.deepEqual(await open(), [])
})
