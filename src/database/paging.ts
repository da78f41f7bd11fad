import { raw, type QueryBuilder, type RawBuilder } from 'objection'
import { later } from '../clock.ts'
import { firstIdAt, isId } from '../ids.ts'
import { arrivalPage } from './arrival-page.ts'
import { readCursor, writeCursor, type ListName } from './cursor.ts'
import { fittingCount } from './page-bytes.ts'
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

export type Order = 'newest' | 'arrival'

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

/**
 * One page of the query's rows, newest first unless the request says otherwise. VALIDATION_ERROR for a cursor that is not
 * from this list.
 */
export async function page<R extends Row>(query: QueryBuilder<R, R[]>, paging: Paging<R>): Promise<Page<R>> {
  const { of = {}, key = byId } = paging
  for (const [field, id] of Object.entries(of)) void query.whereRaw(ofStatement, [field, id])
  if (paging.since ?? paging.until) await restrictToPeriod(query, key.column, paging)
  return paging.order === 'arrival' ? arrivalPage(query, { ...paging, key }) : newestPage(query, { ...paging, key })
}

/**
 * Fetches one row more than the limit, to see whether there is another page. Of rows with large contents only their sizes
 * are fetched first.
 */
async function newestPage<R extends Row>(query: QueryBuilder<R, R[]>, paging: Keyed<R>): Promise<Page<R>> {
  const { list, cursor, limit, bytes, key } = paging
  if (cursor !== undefined) void query.where(key.column, '<', readCursor(list, key.read, cursor))
  const ordered = (of: QueryBuilder<R, R[]>) => of.orderBy(key.column, 'desc')
  const most = bytes === undefined ? limit + 1 : (await countOfPage(ordered(query.clone()), limit, bytes)) + 1
  const newest = (of: QueryBuilder<R, R[]>) => ordered(of).limit(most)
  const parts = combinations(paging).map((values) => newest(query.clone().where(values)))
  const [only] = parts
  const rows = await (only && parts.length === 1 ? only : newest(union(query, parts)))
  const items = rows.slice(0, most - 1)
  const last = items.at(-1)
  return { items, nextCursor: rows.length > items.length && last ? writeCursor(list, key.write(last)) : null }
}

/** How many rows the page has. The query is in order, and must name its columns. */
export async function countOfPage<R extends Row>(
  query: QueryBuilder<R, R[]>,
  limit: number,
  bytes: string,
): Promise<number> {
  const sizes = query
    .clearSelect()
    .select(raw(`${bytes} as bytes`))
    .limit(limit)
  const rows = (await sizes) as unknown as { bytes: number }[]
  return fittingCount(rows.map((row) => row.bytes))
}

async function restrictToPeriod<R extends Row>(
  query: QueryBuilder<R, R[]>,
  column: string,
  { since, until, time, rangeOf = idsOf }: Paging<R>,
): Promise<void> {
  const { from, before } = await rangeOf({ since, until })
  if (from !== undefined) void query.where(column, '>=', from)
  if (before !== undefined) void query.where(column, '<', before)
  if (since) void query.where(time, '>=', since)
  if (until) void query.where(time, '<', until)
}

/** An id and the time beside it are made by one process within moments, but not in the same one, and in either order. */
const apartSeconds = 60

/** A period that certainly has all rows whose key was made within seconds of their time. */
export const widened = ({ since, until }: Period): Period => ({
  since: since && later(since, -apartSeconds),
  until: until && later(until, apartSeconds),
})

function idsOf(period: Period): KeyRange {
  const { since, until } = widened(period)
  return { from: since && firstIdAt(since), before: until && firstIdAt(until) }
}

/**
 * The planner does not know the value of a subquery. If it knew that of an owner with many rows, it would read the whole
 * table by its primary key, newest first, until it has a page of the owner's; that takes long if the newest are of
 * others.
 */
const ofStatement = '?? = (select ?::uuid)'

/** The values that rows may have: one combination if there is no filter or no index for it. */
function combinations({ only = {}, domains = {} }: Pick<Paging<Row>, 'only' | 'domains'>): Record<string, string>[] {
  const isFiltered = Object.values(only).some((value) => value !== undefined)
  let found: Record<string, string>[] = [{}]
  for (const [field, value] of Object.entries(only)) {
    const values = value === undefined ? (isFiltered && domains[field]) || [] : [value]
    if (values.length > 0) found = found.flatMap((one) => values.map((chosen) => ({ ...one, [field]: chosen })))
  }
  return found
}

function union<R extends Row>(query: QueryBuilder<R, R[]>, parts: QueryBuilder<R, R[]>[]): QueryBuilder<R, R[]> {
  const model = query.modelClass() as unknown as typeof Row
  const all = raw(`(${parts.map(() => '?').join(' union all ')}) as ??`, ...parts, model.tableName)
  return model.query(query.knex()).from(all) as unknown as QueryBuilder<R, R[]>
}

/** The key of rows that are read together with others: their id, with its table. */
export const idIn = (column: string): PageKey<Row> => ({
  column,
  read: (text) => (isId(text) ? text : undefined),
  write: (row) => String(row.$id()),
})

const byId = idIn('id')
