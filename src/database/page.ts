import type { RawBuilder } from 'objection'
import type { ListName } from './cursor.ts'
import type { Row } from './row.ts'

/** One page of a list. `nextCursor` is null on the last page of a list that is read newest first. */
export interface Page<T> {
  items: T[]
  nextCursor: string | null
}

/** A period of time; open where a side is absent. */
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
  /** How many items at most, 1 to 100. */
  limit: number
  /** Newest first unless it says `arrival`: then those first that came into the list first. */
  order?: Order | undefined
}

export type KeyValue = string | number | Date

/** Keys between which all rows of a period lie: from the first one, to before the second one. */
export interface KeyRange {
  from?: KeyValue | undefined
  before?: KeyValue | undefined
}

/** The sort key of a list, and its form in a cursor. It must be unique within the list. */
export interface PageKey<R extends Row> {
  column: string
  /** The value to compare with; undefined for a text that is not a key. */
  read: (text: string) => KeyValue | undefined
  write: (row: R) => string
}

export interface Paging<R extends Row> extends PageRequest {
  list: ListName
  /** Whose list it is: identifiers that the rows must have, for a large table whose index begins with these fields. */
  of?: Record<string, string>
  /** The rows must have these values; `undefined` means any. */
  only?: Record<string, string | undefined>
  /**
   * All values of each field of `only`, for a table whose index continues with the fields in front of the key. Then rare
   * values are found as fast as frequent ones.
   */
  domains?: Record<string, readonly string[]>
  /** The size of a row's contents in bytes, as SQL. With it, a page of large rows ends early. */
  bytes?: string
  /** Defaults to the row's id. */
  key?: PageKey<R>
  /** The number of a row in the order of arrival, if that is not the one of its table. */
  arrival?: RawBuilder
  /** Rows are committed in the order of their key: it is the order of arrival, too. */
  keyIsArrival?: boolean
  /** The column of the time that periods are about. */
  time: string
  /**
   * Where in the list a period lies, so that it is found by the index of the key; all rows of the list are read for one
   * if it says nothing. Defaults to ids, which are made at the time of the row.
   */
  rangeOf?: (period: Period) => KeyRange | Promise<KeyRange>
}

/** With the key, which may be the usual one. */
export type Keyed<R extends Row> = Paging<R> & { key: PageKey<R> }
