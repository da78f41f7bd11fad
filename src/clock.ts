/** Where the present comes from; tests hand in another one. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
