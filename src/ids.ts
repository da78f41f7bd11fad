import { v7 } from 'uuid'

/** A new identifier: UUID version 7 (RFC 9562), so that rows of one table sort by creation time. */
export const newId = (): string => v7()

/** The same for something of another time than now. */
export const idAt = (at: Date): string => v7({ msecs: at.getTime() })

/** Comes before every identifier: where a walk through a table begins. */
export const leastId = '00000000-0000-0000-0000-000000000000'

/** Comes before every identifier that is made at that time or later, and behind all that were made before. */
export function firstIdAt(at: Date): string {
  const ms = Math.max(0, at.getTime()).toString(16).padStart(12, '0')
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`
}

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whether a text from outside can be one of our identifiers; other texts are answered as not found. */
export const isId = (text: string): boolean => shape.test(text)
