import type { ExecutionContext } from 'ava'
import { freePorts } from '../../../bin/local/ports.ts'
import { aheadBy } from '../../helpers/clock.ts'
import { startProcess, type PlatformProcess } from '../../helpers/processes.ts'
import { contradictionsIn } from '../../money/invariants.ts'
import { openStage } from '../stage.ts'
import { beginAnswer } from './begin.ts'
import { whatBecameOf, type Seen } from './become.ts'
import { startModel } from './model.ts'
import { startSite } from './site.ts'
import type { Death, Row } from './table.ts'
import { watchTakeovers } from './takeovers.ts'
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

/** How far the clocks of the process that dies, and of the one that comes after it, are ahead, in milliseconds. */
export type Clocks = readonly [dying: number, next: number]

/** What dies, and when for whom. */
export interface Plot {
  death: Death
  clocks?: Clocks
}

/** An answer of the table, and what was seen of it. */
export interface Played extends Row {
  seen: Seen
  /** How long after the kill somebody went on with it, or ended it, in milliseconds. */
  tookMs: number
}

/** Kills the API process that writes all of these answers, each at its place, and tells what has become of them. */
export async function killAmid(
  scene: Scene,
  { death, clocks: [dying, next] = [0, 0] }: Plot,
  rows: Row[],
): Promise<Played[]> {
  const isAlone = death === 'the only API process'
  const [api, other] = await Promise.all([scene.startApi(dying), isAlone ? undefined : scene.startApi(next)])
  const begun = await Promise.all(rows.map((row) => beginAnswer(scene, api.url, row)))
  await api.kill()
  const answerIds = begun.map(({ answerId }) => answerId)
  const watch = watchTakeovers(scene.database, answerIds)
  await Promise.all(begun.map(({ release }) => release()))
  const heir = other ?? (await scene.startApi(next, api.port))
  const ended = await Promise.all(begun.map((one) => whatBecameOf(scene, one, heir.url)))
  await Promise.all([watch.stop(), heir.stop()])
  return ended.map((seen, index): Played => ({ ...rows[index]!, seen, tookMs: watch.tookMs(answerIds[index]!) }))
}
