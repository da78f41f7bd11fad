import { v7 } from 'uuid'

/** A new identifier: UUID version 7 (RFC 9562), so that rows of one table sort by creation time. */
export const newId = (): string => v7()

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Whether a text from outside can be one of our identifiers; other texts are answered as not found. */
export const isId = (text: string): boolean => shape.test(text)
