import type { ExecutionContext, TestFn } from 'ava'
import * as agents from '../../../api/agents.ts'
import * as health from '../../../api/health.ts'
import { call } from '../../helpers/client.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { snapshot } from '../snapshot.ts'
import { noteUses, openStage, type Stage } from '../stage.ts'

/** What is refused and leaves nothing behind, by its title; a file of tests makes a test of each. */
export type Refusals = Record<string, (t: ExecutionContext, stage: Stage) => Promise<void>>

/**
 * One stage for all tests of a file: nothing that they ask for is done. What comes back opens it, and when the work is
 * done its tables must be the same, and it must still serve. To be called by the file itself: what is shared is taken
 * down after the last test of the file that shares it, and no other may have it.
 */
export function unharmedIn(test: TestFn) {
  const shared = forWholeFile(test, 'requests that are refused', async (t) => {
    const stage = await openStage(t)
    await noteUses(stage)
    return { stage, before: await snapshot(stage.platform.services.database) }
  })
  return async (t: ExecutionContext, work: (stage: Stage) => Promise<void>): Promise<void> => {
    const { stage, before } = await shared()
    await work(stage)
    t.deepEqual(await snapshot(stage.platform.services.database), before)
    t.is((await call(stage.nobody, health.readyz)).status, 200)
    t.is((await call(stage.owner, agents.listAgents)).status, 200)
  }
}
