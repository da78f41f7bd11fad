import type { Side } from './side.ts'

/** How often each operation runs before it is measured. */
export const warmUps = 25

/** Times a piece of work under a name. */
export type Time = <T>(name: string, work: () => Promise<T>) => Promise<T>

/** An operation to measure on both sides. */
export interface Operation {
  names: string[]
  /** Reads rarely used data from the disk. Its time is shown but not compared with a database in memory. */
  isCold?: true
  /** Runs the operation once, for the given turn (from 0). Untimed work is preparation. */
  run: (side: Side, turn: number, time: Time) => Promise<void>
}

/** An operation that needs no preparation. */
export const simple = (name: string, work: (side: Side, turn: number) => Promise<unknown>): Operation => ({
  names: [name],
  run: async (side, turn, time) => void (await time(name, () => work(side, turn))),
})

/**
 * A different item each time. There are as many items as warm-up turns, so that all have been read before on both
 * sides.
 */
export const inTurn = <T>(things: readonly T[], turn: number): T => things[turn % Math.min(warmUps, things.length)] as T

/** A different item each time, which has never been read before. */
export const neverRead = <T>(things: readonly T[], turn: number): T => things[(warmUps + turn) % things.length] as T
