import { Client, Connection } from '@temporalio/client'
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import { Run } from '../../../src/runs/run.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { agentOf, customer, type Person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { cancel, spendAllBut, start } from '../../helpers/runs.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

/** Nobody's end is forced here: a run that is cancelled in time has been told so by Temporal. */
const house = forWholeFile(test, 'told of cancels', async (t: ExecutionContext) => {
  const platform = await startPlatform(t, { worker: true, env: { CANCEL_SECONDS: '3600' } })
  const connection = await Connection.connect({ address: platform.config.temporal.address })
  t.teardown(() => connection.close())
  return { platform, temporal: new Client({ connection }) }
})

/** Whoever ends a run from outside, and what it ends as. */
const endings: Record<
  string,
  { end: (someone: Person, runId: string, agentId: string) => Promise<unknown>; reason: string }
> = {
  'its owner cancels it': { end: cancel, reason: 'CANCELLED_BY_OWNER' },
  'its agent is deleted': {
    end: (someone, _runId, agentId) => call(someone, agents.deleteAgent, { params: { agentId } }),
    reason: 'AGENT_DELETED',
  },
}

/** What a run does meanwhile: it waits for an answer of the model, or for credits. */
const doings: Record<'running' | 'waiting', string> = { running: '[[sleep 60]]', waiting: '[[say Hello.]]' }

for (const [what, { end, reason }] of Object.entries(endings))
  for (const [status, systemPrompt] of Object.entries(doings))
    test(`a ${status} run is told through Temporal when ${what}`, async (t) => {
      const { platform, temporal } = await house()
      const { database } = platform.services
      const someone = await customer(platform)
      const agent = await agentOf(someone, { systemPrompt })
      const { id } = (await start(someone, agent)).body
      t.truthy(agent)
      const read = () => Run.query(database).findById(id).throwIfNotFound()
      if (status === 'waiting') await spendAllBut(platform, id, 0)
      await eventually(10, `the run is ${status}`, async () => {
        const run = await read()
        return run.status === status && (status === 'waiting' || run.stepAttempts > 0) ? true : undefined
      })
      await end(someone, id, agent.id)
      const run = await eventually(10, 'the run has ended', async () => {
        const found = await read()
        return found.endedAt ? found : undefined
      })
      t.like(run, { status: 'cancelled', reason, epoch: 1 })
      await eventually(10, 'its workflow is cancelled', async () => {
        const { status: state } = await temporal.workflow.getHandle(`run/${id}`).describe()
        return state.name === 'CANCELLED' ? true : undefined
      })
      t.false(platform.logs.some((line) => line.includes('cancel-forced')))
    })
