import { beginAnswer } from './begin.ts'
import { whatBecameOf, type Seen } from './become.ts'
import type { Scene } from './scene.ts'
import { watchTakeovers } from './takeovers.ts'
import type { Death, Row } from './table.ts'

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
