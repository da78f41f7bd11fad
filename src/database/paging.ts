import { CodedError } from '../errors.ts'

/** One page of a list, newest first. `nextCursor` is null on the last page. */
export interface Page<T> {
  items: T[]
  nextCursor: string | null
}

export interface PageRequest {
  /** Opaque, from the page before; absent for the first page. */
  cursor?: string | undefined
  /** How many items at most, 1 to 100. */
  limit: number
}

/** The lists, by the names that their cursors carry: ids alone would be taken by every other list. */
export type ListName =
  | 'agents'
  | 'callbacks'
  | 'changes'
  | 'fires'
  | 'keys'
  | 'ledger'
  | 'notifications'
  | 'refreshes'
  | 'runs'
  | 'vault'

/** The id after which the page begins. A cursor that this list did not give out is a VALIDATION_ERROR. */
export function readCursor(list: ListName, cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  const [name, id = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(':')
  if (name === list && /^[\w-]{1,64}$/.test(id) && writeCursor(list, id) === cursor) return id
  throw foreignCursor()
}

/** The VALIDATION_ERROR about a cursor that the list did not give out. */
export const foreignCursor = (): CodedError =>
  new CodedError('VALIDATION_ERROR', {
    message: 'The cursor is not one that this list gave out.',
    details: [{ path: 'cursor', message: 'Use the nextCursor of the page before, unchanged.' }],
  })

const writeCursor = (list: ListName, id: string): string => Buffer.from(`${list}:${id}`, 'utf8').toString('base64url')

/** Makes a page of rows that were asked for with one more than the limit, to see whether there is another page. */
export function toPage<T>(list: ListName, rows: T[], limit: number, idOf: (row: T) => string): Page<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last !== undefined ? writeCursor(list, idOf(last)) : null }
}
