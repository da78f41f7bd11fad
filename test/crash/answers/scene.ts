import type { ExecutionContext } from 'ava'
import { freePorts } from '../../../bin/local/ports.ts'
import { aheadBy } from '../../helpers/clock.ts'
import { startProcess, type PlatformProcess } from '../../helpers/processes.ts'
import { contradictionsIn } from '../../money/invariants.ts'
import { openStage } from '../stage.ts'
import { startModel } from './model.ts'
import { startSite } from './site.ts'
import { letWritesBeHeld } from './writes.ts'

/** A stage whose API processes can be killed while they write answers, whatever they are doing. */
export async function openScene(t: ExecutionContext, env: Record<string, string> = {}) {
  const [model, site] = [await startModel(t), await startSite(t)]
  const stage = await openStage(t, { env: { DATABASE_POOL: '20', ...model.environment, ...env } })
  const { database } = stage.platform.services
  await letWritesBeHeld(database)
  return {
    ...stage,
    database,
    model,
    site,
    /** An API process whose clock is ahead by so many milliseconds; by default at a port of its own. */
    async startApi(aheadMs: number, port?: number): Promise<Api> {
      const at = port ?? (await freePorts(1))[0] ?? 0
      const env = { ...stage.environment, ...aheadBy(aheadMs), PORT: String(at) }
      return { ...(await startProcess(t, 'api', env)), port: at, url: `http://127.0.0.1:${at}` }
    },
    /** Workers, each with a clock of its own: they, too, look after answers. */
    startWorkers: (aheadMs: number[]) => Promise.all(aheadMs.map((ms) => stage.startWorker(aheadBy(ms)))),
    /** What contradicts the rules of money, of all that was done here. */
    contradictions: () => contradictionsIn(database),
  }
}

type Api = PlatformProcess & { port: number; url: string }
export type Scene = Awaited<ReturnType<typeof openScene>>
