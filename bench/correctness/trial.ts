import { setTimeout as delay } from 'node:timers/promises'
import type { Contestant } from './contestant.ts'
import { countOf, sumOf, type Counts } from './count.ts'
import { deliverItems } from './items.ts'
import { killInTurn } from './kills.ts'
import type { ListSite } from './site.ts'

export interface Schedule {
  items: number
  kills: number
  seconds: number
}

export interface Outcome extends Counts {
  /** Effects before the kills had ended. A side that did little meanwhile had little to lose or to double. */
  duringKills: number
  /** How often the sender repeated a request under its key. */
  repeats: number
  /** Seconds from the last acceptance, or the last restart if that came later, to the last effect. */
  settled: number
}

/** If nothing new happens for so long after the kills, what is missing counts as lost. */
const quietSeconds = 90

/** Delivers all items to a side while its processes are killed, waits for the rest, and counts. */
export async function trial({ inboxes, victims }: Contestant, site: ListSite, schedule: Schedule): Promise<Outcome> {
  const { items, kills, seconds } = schedule
  const lists = () => inboxes.map(({ agent }) => site.listOf(agent))
  const [repeats, duringKills] = await Promise.all([
    Promise.all(inboxes.map((inbox, index) => deliverItems(inbox, items, seconds, index / inboxes.length))),
    delay(seconds * 1000).then(() => lists().flat().length),
    killInTurn(victims, kills, seconds),
  ])
  const settled = await settle(() => sumOf(lists().map((list) => countOf(list, items))))
  const counts = sumOf(lists().map((list) => countOf(list, items)))
  return { ...counts, duringKills, repeats: repeats.reduce((sum, one) => sum + one, 0), settled }
}

/** Waits until nothing is missing and nothing has changed for some seconds, or nothing has changed for long. */
async function settle(count: () => Counts): Promise<number> {
  const began = performance.now()
  let changed = began
  let last = JSON.stringify(count())
  for (;;) {
    await delay(250)
    const now = JSON.stringify(count())
    if (now !== last) changed = performance.now()
    last = now
    const quiet = (performance.now() - changed) / 1000
    // A killed attempt may be repeated after its item's effect, so the end of the list is not the end.
    if (quiet > quietSeconds || (count().lost === 0 && quiet > repeatSeconds)) return (changed - began) / 1000
  }
}

/** Longer than the heartbeats and time limits after which each side notices that a worker was killed. */
const repeatSeconds = 30
