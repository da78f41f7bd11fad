/** The source of the current time; tests replace it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

export const later = (at: Date, seconds: number): Date => new Date(at.getTime() + seconds * 1000)

/** The later of the two; the first if the other is missing. */
export const latest = (one: Date, other: Date | null | undefined): Date => (other && other > one ? other : one)

/** The earlier of the two; the first if the other is missing. */
export const earliest = (one: Date, other: Date | null | undefined): Date => (other && other < one ? other : one)
