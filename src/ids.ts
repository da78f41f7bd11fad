import { randomInt } from 'node:crypto'
import { v7 } from 'uuid'
import { databaseClock } from './clock.ts'

let last = { msecs: 0, seq: 0 }

/** A new identifier: UUID version 7 (RFC 9562), so that rows of one table sort by creation time, the database's. */
export function newId(): string {
  last = following(last, databaseClock.now().getTime())
  return v7(last)
}

/** Counts on within a millisecond, and when the time moved back a little. `seq` has 32 bits, and starts in the lower half. */
const following = ({ msecs, seq }: typeof last, now: number): typeof last =>
  now > msecs || now < msecs - 1000 ? { msecs: now, seq: randomInt(2 ** 31) } : { msecs, seq: seq + 1 }

/** An identifier for another time than now. */
export const idAt = (at: Date): string => v7({ msecs: at.getTime() })

/** Sorts before every identifier: the start of a walk through a table. */
export const leastId = '00000000-0000-0000-0000-000000000000'

/** Sorts before every identifier of that time or later, and after all earlier ones. */
export function firstIdAt(at: Date): string {
  const ms = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`
}

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whether an external text can be one of our identifiers. Others are answered as not found. */
export const isId = (text: string): boolean => shape.test(text)
