import { setTimeout as delay } from 'node:timers/promises'
import type { Chance } from '../../money/chance.ts'
import { blowKinds, type Blow } from './evidence.ts'

/** A process that the storm kills and freezes. Its supervisor starts it again. */
export interface Member {
  name: string
  isUp: () => boolean
  kill: () => unknown
  freeze: () => unknown
  thaw: () => unknown
}

/** A TCP connection between two of them. */
export interface Door {
  name: string
  /** The site to which it leads, whose calls may arrive late. */
  site?: string
  /** Whether the program behind it is there. Nothing behind a door of one that is down can be taken away. */
  isUp: () => boolean
  /** Breaks all connections, and refuses new ones until `open`. */
  cut: () => unknown
  /** Accepts connections and lets nothing pass until `open`. */
  hold: () => unknown
  delay: (ms: number) => unknown
  /** Breaks all connections once. */
  reset: () => unknown
  open: () => unknown
}

type Kind = Blow['kind']

/** Strikes one member or door after another, as the seed says, of those that are up. Blows overlap. */
export function createStorm(parts: { members: Member[]; doors: Door[] }, random: Chance, note: (text: string) => void) {
  const blows: Blow[] = []
  const struck = new Set<string>()

  async function strike(): Promise<void> {
    const free = parts.members
      .filter(({ name, isUp }) => !struck.has(name) && isUp())
      .flatMap((member) => Array(weightOf(member)).fill(member) as Member[])
    const closed = parts.doors.filter(({ name, isUp }) => !struck.has(name) && isUp())
    const isDoor = closed.length > 0 && (free.length === 0 || random.whole(1, 2) === 1)
    const part = isDoor ? pick(closed, random) : pick(free, random)
    if (!part) return
    struck.add(part.name)
    const from = Date.now()
    const kind = await ('kill' in part ? hit(part, random) : shut(part, random))
    struck.delete(part.name)
    blows.push({ kind, name: part.name, from, until: Date.now(), site: 'site' in part ? (part.site ?? null) : null })
    note(`${kind} ${part.name}, ${Date.now() - from} ms`)
  }

  return {
    blows,
    /** Resolves when the last blow has ended: everything runs, and all doors are open. */
    async rage(until: number, pauseMs: [least: number, most: number]): Promise<void> {
      const underWay: Promise<void>[] = []
      while (Date.now() < until) {
        await delay(random.whole(...pauseMs))
        underWay.push(strike())
      }
      await Promise.all(underWay)
    },
  }
}

/** There are more of the platform's own processes in an installation than of the others. */
const weightOf = ({ name }: Member): number => (/^(api|worker)/.test(name) ? 3 : 1)

const pick = <T>(items: T[], random: Chance): T | undefined => items[random.whole(0, Math.max(0, items.length - 1))]

async function hit(member: Member, random: Chance): Promise<Kind> {
  if (random.whole(1, 2) === 1) {
    await member.kill()
    return 'kill'
  }
  const forMs = random.whole(2000, 15_000)
  await member.freeze()
  await delay(forMs)
  await member.thaw()
  return 'freeze'
}

async function shut(door: Door, random: Chance): Promise<Kind> {
  const kind = random.of(['cut', 'hold', 'delay', 'reset'] as const)
  const forMs = random.whole(1000, 8000)
  if (kind === 'delay') await door.delay(random.whole(100, 1500))
  else await door[kind]()
  if (kind !== 'reset') {
    await delay(forMs)
    await door.open()
  }
  return kind
}

/** How often each kind of blow fell. */
export const tallyOf = (blows: Blow[]): string =>
  blowKinds.map((kind) => `${blows.filter((blow) => blow.kind === kind).length} × ${kind}`).join(', ')
