import { v7 } from 'uuid'

/** A new identifier: UUID version 7 (RFC 9562), so that rows of one table sort by creation time. */
export const newId = (): string => v7()

/** Comes before every identifier: where a walk through a table begins. */
export const leastId = '00000000-0000-0000-0000-000000000000'

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whether a text from outside can be one of our identifiers; other texts are answered as not found. */
export const isId = (text: string): boolean => shape.test(text)
