import type { RawBuilder } from 'objection'
import type { ListName } from './cursor.ts'
import type { Row } from './row.ts'

/** One page of a list. `nextCursor` is null on the last page, if the list is read newest first. */
export interface Page<T> {
  items: T[]
  nextCursor: string | null
}

/** A period of time. A missing side is open. */
export interface Period {
  /** Inclusive. */
  since?: Date | undefined
  /** Exclusive. */
  until?: Date | undefined
}

type Order = 'newest' | 'arrival'

export interface PageRequest extends Period {
  /** Opaque, from the previous page; absent for the first page. */
  cursor?: string | undefined
  /** The most items, 1 to 100. */
  limit: number
  /** Newest first by default; `arrival` means the order of arrival. */
  order?: Order | undefined
}

export type KeyValue = string | number | Date

/** Keys that enclose all rows of a period: the first one inclusive, the second one exclusive. */
export interface KeyRange {
  from?: KeyValue | undefined
  before?: KeyValue | undefined
}

/** The sort key of a list, and its form in a cursor. It must be unique within the list. */
export interface PageKey<R extends Row> {
  column: string
  /** The value to compare with; undefined for an invalid text. */
  read: (text: string) => KeyValue | undefined
  write: (row: R) => string
}

export interface Paging<R extends Row> extends PageRequest {
  list: ListName
  /**
   * The owner of the list: identifiers that the rows must have, for a large table whose index begins with these fields.
   */
  of?: Record<string, string>
  /** The rows must have these values; `undefined` means any. */
  only?: Record<string, string | undefined>
  /**
   * All values of each field of `only`, for a table whose index continues with these fields before the key. Then rare
   * values are found as fast as frequent ones.
   */
  domains?: Record<string, readonly string[]>
  /** The size of a row's contents in bytes, as SQL. It makes a page of large rows end early. */
  bytes?: string
  key?: PageKey<R>
  /** A row's number in the order of arrival, if it differs from the table's own. */
  arrival?: RawBuilder
  /** Whether rows are committed in the order of their key, which then is the order of arrival. */
  keyIsArrival?: boolean
  time: string
  /**
   * The key range of a period, so the key's index finds it. An empty range reads all rows of the list. Defaults to ids,
   * which are created at the row's time.
   */
  rangeOf?: (period: Period) => KeyRange | Promise<KeyRange>
}

export type Keyed<R extends Row> = Paging<R> & { key: PageKey<R> }
