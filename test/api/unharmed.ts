import type { ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import * as health from '../../api/health.ts'
import { call } from '../helpers/client.ts'
import { snapshot } from './snapshot.ts'
import { openStage, type Stage } from './stage.ts'

/** Opens a stage whose tables must be the same, and which must still serve, when the work is done. */
export async function unharmed(t: ExecutionContext, work: (stage: Stage) => Promise<void>): Promise<void> {
  const stage = await openStage(t)
  const { database } = stage.platform.services
  const before = await snapshot(database)
  await work(stage)
  t.deepEqual(await snapshot(database), before)
  t.is((await call(stage.nobody, health.readyz)).status, 200)
  t.is((await call(stage.owner, agents.listAgents)).status, 200)
}
