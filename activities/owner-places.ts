import { createPlaces, type Places } from '../src/shares/places.ts'
import { createShares } from '../src/shares/shares.ts'

/** How long work waits in this process for a place, before Temporal schedules it again. */
const patienceMs = 2000

const roomFor = (places: number): number => Math.ceil(places / 2)

/**
 * The places of one kind of work in one worker. A lone owner may use `places` at a time. Several owners get equal
 * shares of twice as many (docs/decisions/0044).
 */
export const ownersPlaces = (places: number): Places =>
  createPlaces({ shares: createShares(2 * places), room: roomFor(places), patienceMs })

/**
 * How many activities a worker takes at a time, so that an owner with nothing in progress always finds one free: those
 * that work, those that wait, and as many as may be refused at the same time.
 */
export const slotsFor = (places: number): number => 2 * places + 2 * roomFor(places)
