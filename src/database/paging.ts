import type { QueryBuilder } from 'objection'
import { CodedError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { Row } from './row.ts'

/** One page of a list, newest first. `nextCursor` is null on the last page. */
export interface Page<T> {
  items: T[]
  nextCursor: string | null
}

export interface PageRequest {
  /** Opaque, from the previous page; absent for the first page. */
  cursor?: string | undefined
  /** How many items at most, 1 to 100. */
  limit: number
}

/** The names of the lists. Cursors carry them, so that no list accepts another list's cursor. */
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

/** The sort key of a list, and its form in a cursor. It must be unique within the list. */
export interface PageKey<R extends Row> {
  column: string
  /** The value to compare with; undefined for a text that is not a key. */
  read: (text: string) => string | Date | undefined
  write: (row: R) => string
}

interface Paging<R extends Row> extends PageRequest {
  list: ListName
  /** The rows must have these values; `undefined` means any. */
  only?: Record<string, string | undefined>
  /** Defaults to the row's id. */
  key?: PageKey<R>
}

/**
 * One page of the query's rows, newest first. Fetches one row more than the limit, to see whether there is another
 * page. VALIDATION_ERROR for a cursor that is not from this list.
 */
export async function page<R extends Row>(query: QueryBuilder<R, R[]>, paging: Paging<R>): Promise<Page<R>> {
  const { list, cursor, limit, only = {}, key = byId } = paging
  if (cursor !== undefined) void query.where(key.column, '<', readCursor(list, key.read, cursor))
  for (const [field, value] of Object.entries(only)) if (value !== undefined) void query.where(field, value)
  const rows = await query.orderBy(key.column, 'desc').limit(limit + 1)
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > limit && last ? writeCursor(list, key.write(last)) : null }
}

const byId: PageKey<Row> = {
  column: 'id',
  read: (text) => (isId(text) ? text : undefined),
  write: (row) => String(row.$id()),
}

function readCursor(list: ListName, read: PageKey<Row>['read'], cursor: string): string | Date {
  const [name, text = ''] = Buffer.from(cursor, 'base64url').toString('utf8').split(':')
  const isOurs = name === list && /^[\w-]{1,64}$/.test(text) && writeCursor(list, text) === cursor
  const value = isOurs ? read(text) : undefined
  if (value !== undefined) return value
  throw new CodedError('VALIDATION_ERROR', {
    message: 'The cursor is not from this list.',
    details: [{ path: 'cursor', message: 'Use the nextCursor of the previous page, unchanged.' }],
  })
}

/** The cursor of the page that begins after the row with this key. */
export const writeCursor = (list: ListName, key: string): string =>
  Buffer.from(`${list}:${key}`, 'utf8').toString('base64url')
