import type { Side } from './side.ts'

/** How often each operation is done before it is measured. */
export const warmUps = 25

/** Times a piece of work under a name. */
export type Time = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** Something that is measured on both sides. */
export interface Operation {
  /** The names of its parts. */
  names: string[]
  /** Reads what nobody has read for long, from the disk: shown, but not compared with a database in memory. */
  isCold?: true
  /** Does it once, for the given time (from 0); what is not timed is preparation. */
  run: (side: Side, turn: number, time: Time) => Promise<void>
}

/** An operation that needs no preparation. */
export const simple = (name: string, work: (side: Side, turn: number) => Promise<unknown>): Operation => ({
  names: [name],
  run: async (side, turn, time) => void (await time(name, () => work(side, turn))),
})

/**
 * One of several things, another one each time. There are as many as there are turns before measuring, so that all have
 * been read before, on both sides.
 */
export const inTurn = <T>(things: readonly T[], turn: number): T => things[turn % Math.min(warmUps, things.length)] as T

/** Another one each time, which nobody has read before. */
export const neverRead = <T>(things: readonly T[], turn: number): T => things[(warmUps + turn) % things.length] as T
