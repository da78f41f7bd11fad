import { beginAnswer } from './begin.ts'
import { comeBack, whatBecameOf, type Seen } from './become.ts'
import type { Scene } from './scene.ts'
import { watchTakeovers } from './takeovers.ts'
import type { Death, Row } from './table.ts'
import { holdEnds } from './writes.ts'

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

/** Its end waits already. */
const isEnding = ({ phase }: Row): boolean => phase === 'in the write of the end'

/** Kills the API process that writes all of these answers, each at its place, and tells what has become of them. */
export async function killAmid(
  scene: Scene,
  { death, clocks: [dying, next] = [0, 0] }: Plot,
  rows: Row[],
): Promise<Played[]> {
  const isAlone = death === 'the only API process'
  const [api, other] = await Promise.all([scene.startApi(dying), isAlone ? undefined : scene.startApi(next)])
  const begun = await Promise.all(rows.map((row) => beginAnswer(scene, api.url, row)))
  const answerIds = begun.map(({ answerId }) => answerId)
  const [ending, others] = [begun.filter(isEnding), begun.filter((one) => !isEnding(one))]
  // A lease that was not extended during a write is long over, and its answer is taken up at once. It could end before its
  // reader is back.
  const letEnd = await holdEnds(
    scene.database,
    others.map(({ answerId }) => answerId),
  )
  await api.kill()
  const watch = watchTakeovers(scene.database, answerIds)
  await Promise.all(others.map(({ release }) => release()))
  const heir = other ?? (await scene.startApi(next, api.port))
  const readings = await Promise.all(begun.map((one) => comeBack(one, heir.url)))
  await Promise.all([letEnd(), ...ending.map(({ release }) => release())])
  const ended = await Promise.all(begun.map((one, index) => whatBecameOf(scene, one, heir.url, readings[index])))
  await Promise.all([watch.stop(), heir.stop()])
  return ended.map((seen, index): Played => ({ ...rows[index]!, seen, tookMs: watch.tookMs(answerIds[index]!) }))
}
