import test from 'ava'
import { later } from '../../../../src/clock.ts'
import { newId } from '../../../../src/ids.ts'
import { createOrphans } from '../../../../src/runs/reconcile/orphans.ts'
import type { ListedExecution } from '../../../../src/temporal/inspection.ts'
import { agentOf, person } from '../../../helpers/people.ts'
import { cancel, start } from '../../../helpers/runs.ts'
import { sharedPlatform } from '../../../helpers/shared.ts'

const platformOf = sharedPlatform(test, 'idle')

test('workflows of nobody are ended, over all pages, and from the first again if Temporal has lost a page', async (t) => {
  const platform = await platformOf()
  const { temporal, ...services } = platform.services
  const someone = await person(platform)
  const agent = await agentOf(someone)
  /** A run that ended so many seconds ago. */
  async function endedRun(seconds: number): Promise<string> {
    const { id } = (await start(someone, agent)).body
    await cancel(someone, id)
    await services
      .database('runs')
      .where({ id })
      .update({ endedAt: later(new Date(), -seconds) })
    return id
  }
  const [noRun, noAgent] = [newId(), newId()]
  const [closing, ended] = [await endedRun(0), await endedRun(3600)]
  const run = (await start(someone, agent)).body
  const execution = (type: ListedExecution['type'], id: string) => ({ type, id, executionId: `of ${id}` })
  const page = new Uint8Array([1])
  const answers = [
    { listed: [run.id, noRun, closing, ended].map((id) => execution('agentRun', id)), next: page },
    new Error('unknown page'),
    { listed: [execution('agentQueue', agent.id), execution('agentQueue', noAgent)], next: null },
  ]
  const [asked, terminated]: [(Uint8Array | null)[], string[]] = [[], []]
  const listOpen = async (_before: Date, from: Uint8Array | null) => {
    asked.push(from)
    const answer = answers.shift()!
    if (answer instanceof Error) throw answer
    return answer
  }
  const terminate = async (id: string) => void terminated.push(id)
  const inspection = { ...temporal.inspection, listOpen, terminateRun: terminate, terminateQueue: terminate }
  const orphans = createOrphans({ ...services, temporal: { ...temporal, inspection } })
  await t.throwsAsync(orphans.end(), { message: 'unknown page' })
  await orphans.end()
  t.deepEqual(asked, [null, page, null])
  t.deepEqual(terminated, [noRun, ended, noAgent], 'a run that has just ended may still be closing')
})
