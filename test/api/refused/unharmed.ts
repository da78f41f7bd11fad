import test, { type ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import * as health from '../../../api/health.ts'
import { call } from '../../helpers/client.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { snapshot } from '../snapshot.ts'
import { openStage, type Stage } from '../stage.ts'

/** One stage for all tests of the process: nothing that they ask for is done. */
const shared = forWholeFile(test, 'requests that are refused', async (t) => {
  const stage = await openStage(t)
  return { stage, before: await snapshot(stage.platform.services.database) }
})

/** Opens the stage, whose tables must be the same, and which must still serve, when the work is done. */
export async function unharmed(t: ExecutionContext, work: (stage: Stage) => Promise<void>): Promise<void> {
  const { stage, before } = await shared()
  await work(stage)
  t.deepEqual(await snapshot(stage.platform.services.database), before)
  t.is((await call(stage.nobody, health.readyz)).status, 200)
  t.is((await call(stage.owner, agents.listAgents)).status, 200)
}
