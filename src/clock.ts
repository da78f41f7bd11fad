/** The source of the current time; tests replace it. */
export interface Clock {
  now(): Date
}

/** How far the database's clock is ahead of this process's, in milliseconds, as last measured. */
let ahead = 0

/**
 * The database's time, which all processes share: one writes a lease or a due time, and others compare it. It is this
 * process's clock, corrected by each reading of the database's.
 */
export const databaseClock: Clock = { now: () => new Date(Date.now() + ahead) }

/** This machine's own time, in milliseconds. It advances while the machine sleeps, and somebody may set it. */
export const machineNow = (): number => Date.now()

/** What the database's clock said, between two times of this process's clock. All in milliseconds. */
interface Reading {
  sent: number
  theirs: number
  received: number
}

/** Applies a reading. Returns how many milliseconds it moved the time. */
export function correctClock(reading: Reading): number {
  const before = ahead
  ahead = aheadAfter(before, reading)
  return ahead - before
}

/**
 * The lead that agrees with the reading and is closest to the one before. So an answer that takes long changes nothing,
 * and the time does not jump back and forth. A millisecond either way, because the times are cut to milliseconds.
 */
export const aheadAfter = (before: number, { sent, theirs, received }: Reading): number =>
  Math.min(Math.max(before, theirs - received - 1), theirs - sent + 1)

export const later = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000)

/** The later of the two; the first if the other is missing. */
export const latest = (one: Date, other: Date | null | undefined): Date => (other && other > one ? other : one)

/** The earlier of the two; the first if the other is missing. */
export const earliest = (one: Date, other: Date | null | undefined): Date => (other && other < one ? other : one)
