import { createPlaces, type Places } from '../src/shares/places.ts'
import { createShares } from '../src/shares/shares.ts'

/** How long work waits in this process for a place, before Temporal hands it out again. */
const patienceMs = 2000

const roomFor = (places: number): number => Math.ceil(places / 2)

/**
 * The places of one kind of work in one worker. An owner who is alone may use `places` at a time; several owners have
 * equal shares of twice as many (docs/decisions/0044).
 */
export const ownersPlaces = (places: number): Places =>
  createPlaces({ shares: createShares(2 * places), room: roomFor(places), patienceMs })

/**
 * How many activities a worker takes at a time, so that some are always free for an owner who has nothing under way:
 * those that work, those that wait, and as many as may be refused at the same time.
 */
export const slotsFor = (places: number): number => 2 * places + 2 * roomFor(places)
