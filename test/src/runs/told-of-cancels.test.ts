import { Client, Connection } from '@temporalio/client'
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import { newId } from '../../../src/ids.ts'
import { Run } from '../../../src/runs/run.ts'
import { call } from '../../helpers/client.ts'
import { eventually } from '../../helpers/eventually.ts'
import { hold } from '../../helpers/hold.ts'
import { agentOf, connectBadTools, customer, type Person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { cancel } from '../../helpers/runs.ts'
import { startSites } from '../../helpers/sites.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'

/** Ends are forced very late here: a run whose workflow is cancelled before that has been told so through Temporal. */
const house = forWholeFile(test, 'told of cancels', async (t: ExecutionContext) => {
  const sites = await startSites(t)
  const platform = await startPlatform(t, { sites, worker: true, env: { CANCEL_SECONDS: '60' } })
  const connection = await Connection.connect({ address: platform.config.temporal.address })
  t.teardown(() => connection.close())
  return { sites, platform, temporal: new Client({ connection }) }
})

type Begun = Awaited<ReturnType<typeof begin>>

/** A run that has begun its first step; `meanwhile` is done before the model is asked. */
async function begin(systemPrompt: string, meanwhile: (agentId: string) => Promise<unknown> = async () => undefined) {
  const { sites, platform } = await house()
  const { database } = platform.services
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  const agent = await agentOf(someone, { systemPrompt, sites: [{ vaultEntryId }] })
  // What the model is offered cannot be read before this is released.
  const release = await hold(database, (trx) => trx.raw('lock table agent_sites in access exclusive mode'))
  const request = { agentId: agent.id, trigger: 'manual', requestId: newId() } as const
  const { runId: id } = await platform.services.runs.accept.one(request)
  const read = () => Run.query(database).findById(id).throwIfNotFound()
  await eventually(15, 'the step is begun', async () => ((await read()).stepAttempts > 0 ? true : undefined))
  await meanwhile(agent.id)
  await release()
  return { someone, id, agentId: agent.id, read }
}

/** How a run comes to be at work for long, or to wait. */
const states: Record<'running' | 'waiting', () => Promise<Begun>> = {
  running: () => begin('[[sleep 60]]'),
  async waiting() {
    const { database } = (await house()).platform.services
    const pause = (id: string) => database('agents').where({ id }).update({ pausedAt: new Date() })
    const begun = await begin('[[call echo_text {"text":"hello"}]]', pause)
    await eventually(15, 'the run waits', async () => ((await begun.read()).status === 'waiting' ? true : undefined))
    return begun
  },
}

/** Who ends it, and as what. */
const askers: Record<string, (someone: Person, runId: string, agentId: string) => Promise<unknown>> = {
  CANCELLED_BY_OWNER: cancel,
  AGENT_DELETED: (someone, _runId, agentId) => call(someone, agents.deleteAgent, { params: { agentId } }),
}

for (const [status, reach] of Object.entries(states))
  for (const [reason, ask] of Object.entries(askers).slice(0, status === 'running' ? 2 : 1))
    test.serial(`a ${status} run whose end is asked for is told of it through Temporal: ${reason}`, async (t) => {
      const { platform, temporal } = await house()
      const { someone, id, agentId, read } = await reach()
      t.like(await read(), { status, epoch: 1 })
      await ask(someone, id, agentId)
      const workflow = temporal.workflow.getHandle(`run/${id}`)
      await eventually(10, 'its workflow is cancelled', async () =>
        (await workflow.describe()).status.name === 'CANCELLED' ? true : undefined,
      )
      t.like(await read(), { status: 'cancelled', reason, epoch: 1 })
      t.false(platform.logs.some((line) => line.includes('cancel-forced')))
    })
