// @promise record
import test from 'ava'
import * as agents from '../../../../api/agents.ts'
import { call } from '../../../helpers/client.ts'
import { untilBlocked } from '../../../helpers/hold.ts'
import { agentOf, customer, ended, person, timelineOf, webhookAgent, type Person } from '../../../helpers/people.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'
import { dataOf, start } from '../../../helpers/runs.ts'

const day = 86_400_000

const platformOf = sharedPlatform(test)
const idle = sharedPlatform(test, 'idle')

/** An agent, and what the test does with it. */
async function open() {
  const platform = await platformOf()
  const someone = await person(platform)
  const agent = await agentOf(someone, { systemPrompt: '[[say one]]' })
  const { database, retention } = platform.services
  async function run(): Promise<string> {
    const { id } = (await start(someone, agent)).body
    await ended(someone, id)
    return id
  }
  const change = (systemPrompt: string) =>
    call(someone, agents.updateAgent, { params: { agentId: agent.id }, body: { systemPrompt } })
  async function purge(runIds: string[]): Promise<void> {
    await database('runs')
      .whereIn('id', runIds)
      .update({ endedAt: new Date(Date.now() - 91 * day) })
    await retention.purge(new AbortController().signal)
  }
  const kept = async () => {
    const rows = (await database('agent_prompts').where({ agentId: agent.id })) as { sinceSequence: number }[]
    return rows.map(({ sinceSequence }) => sinceSequence).toSorted((one, other) => one - other)
  }
  return { someone, agent, database, run, change, purge, kept }
}

const promptOf = async (someone: Person, runId: string) =>
  dataOf(await timelineOf(someone, runId), 'started')[0]?.['systemPrompt']

test('instructions are stored when they change, and every run shows those that it worked under', async (t) => {
  const { someone, run, change, kept } = await open()
  const runs = [await run(), await run()]
  await change('[[say two]]')
  runs.push(await run())
  await change('[[say one]]')
  runs.push(await run())
  t.deepEqual(await kept(), [1, 3, 4])
  const prompts = await Promise.all(runs.map((id) => promptOf(someone, id)))
  t.deepEqual(prompts, ['[[say one]]', '[[say one]]', '[[say two]]', '[[say one]]'])
})

test('whichever of its instructions an owner changes, the next run works under it', async (t) => {
  const { database, runs } = (await idle()).services
  const someone = await customer(await idle())
  const { id: agentId } = await webhookAgent(someone)
  const changes: Record<string, unknown>[] = [
    { webhookSchema: JSON.stringify([{ name: 'title', type: 'string', required: true }]) },
    { allowActionOverride: true },
    { allowActionOverride: false },
    { model: 'one' },
    { fallbackModel: 'other' },
    { outputSchema: JSON.stringify({ type: 'object' }) },
    { summarizes: true },
  ]
  for (const [index, change] of [{}, ...changes].entries()) {
    await database('agents')
      .where({ id: agentId })
      .update({ name: `Agent ${index}`, ...change })
    await runs.accept.one({ agentId, trigger: 'webhook', requestId: 'r', payload: '{}' })
    const run = await runs.queue.claimNext(agentId)
    await runs.ending.end(run!, { status: 'completed', reason: null })
    const now = await database('agents')
      .where({ id: agentId })
      .first(...instructions)
    t.deepEqual(
      await database('agent_prompts')
        .where({ agentId, sinceSequence: index + 1 })
        .first(...instructions),
      now,
    )
  }
})

const instructions = ['webhookSchema', 'allowActionOverride', 'model', 'fallbackModel', 'outputSchema', 'summarizes']

// A purge is for all runs: one would leave alone what another has locked.
test.serial('a purge leaves the instructions of every run that is kept, and those of the next', async (t) => {
  const { someone, run, change, purge, kept } = await open()
  const [first, second] = [await run(), await run()]
  await change('[[say two]]')
  const third = await run()
  await change('[[say three]]')
  const fourth = await run()

  await purge([first])
  t.deepEqual(await kept(), [1, 3, 4], 'the second run is there')
  await purge([third])
  t.deepEqual(await kept(), [1, 4])
  t.is(await promptOf(someone, second), '[[say one]]')
  await purge([second, fourth])
  t.deepEqual(await kept(), [4], 'they are in force')
  t.is(await promptOf(someone, await run()), '[[say three]]')
  t.deepEqual(await kept(), [4])
})

test.serial(
  'of two purges that delete the runs of some instructions at the same time the second deletes them',
  async (t) => {
    const { agent, database, run, change, purge, kept } = await open()
    const [first, second] = [await run(), await run()]
    await change('[[say two]]')
    await run()
    const other = await database.transaction()
    await other('runs').where({ id: first }).delete()
    await other('agent_prompts').where({ agentId: agent.id, sinceSequence: 1 }).forUpdate()
    const purged = purge([second])
    try {
      await untilBlocked(database)
    } finally {
      await other.commit()
    }
    await purged
    t.deepEqual(await kept(), [3])
  },
)
