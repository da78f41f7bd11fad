import { raw, type QueryBuilder, type RawBuilder } from 'objection'
import { CodedError } from '../errors.ts'
import { readCursor, writeCursor } from './cursor.ts'
import type { Keyed, KeyValue, Page, PageKey } from './page.ts'
import { countOfPage } from './page-bytes.ts'
import type { Row } from './row.ts'

/** The row before a page; without a key, the page starts with the first row of that number. */
interface Place {
  arrival: number
  key?: KeyValue
}

/** The number up to which every transaction has ended, and the lowest unassigned number. */
interface Horizon {
  settled: number
  unused: number
}

type Arrived = Row & { arrival: number }

/**
 * One page of the query's rows in the order of arrival. It ends before numbers that open transactions may still fill.
 * `nextCursor` is never null. VALIDATION_ERROR for a cursor from before a restore.
 */
export async function arrivalPage<R extends Row>(query: QueryBuilder<R, R[]>, paging: Keyed<R>): Promise<Page<R>> {
  for (const [field, value] of Object.entries(paging.only ?? {})) {
    if (value !== undefined) void query.where(field, value)
  }
  return paging.keyIsArrival ? pageByKey(query, paging) : pageByNumber(query, paging)
}

async function pageByKey<R extends Row>(query: QueryBuilder<R, R[]>, paging: Keyed<R>): Promise<Page<R>> {
  const { list, cursor = writeCursor(`${list}>`, '0'), limit, key } = paging
  void query.where(key.column, '>', readCursor(`${list}>`, key.read, cursor))
  const items = await query.orderBy(key.column).limit(limit)
  const last = items.at(-1)
  return { items, nextCursor: last ? writeCursor(`${list}>`, key.write(last)) : cursor }
}

async function pageByNumber<R extends Row>(query: QueryBuilder<R, R[]>, paging: Keyed<R>): Promise<Page<R>> {
  const { list, cursor, limit, bytes, key } = paging
  const { tableName } = query.modelClass()
  const arrival = paging.arrival ?? raw('??', `${tableName}.arrival`)
  // Read first: every later statement sees all rows below it.
  const { settled, unused } = await horizonOf(query)
  void query.where(arrival, '<', settled)
  if (cursor !== undefined) startAt(query, arrival, key, readCursor(`${list}>`, placeIn(key, unused), cursor))
  void query.orderBy(arrival).orderBy(key.column)
  const most = bytes === undefined ? limit + 1 : (await countOfPage(query.clone(), limit, bytes)) + 1
  if (!query.hasSelects()) void query.select(`${tableName}.*`)
  const rows = await query.select(raw('? as ??', arrival, 'arrival')).limit(most)
  const items = rows.slice(0, most - 1)
  const last = items.at(-1)
  const isMore = rows.length > items.length && last !== undefined
  const place = isMore ? `${(last as unknown as Arrived).arrival}_${key.write(last)}` : String(settled)
  return { items, nextCursor: writeCursor(`${list}>`, place) }
}

async function horizonOf<R extends Row>(query: QueryBuilder<R, R[]>): Promise<Horizon> {
  const { rows } = (await query.knex().raw(horizonStatement)) as { rows: [Horizon] }
  return rows[0]
}

const horizonStatement = `
  select base + pg_snapshot_xmin(s)::text::bigint as settled, base + pg_snapshot_xmax(s)::text::bigint as unused
    from arrivals, pg_current_snapshot() as s`

function startAt<R extends Row>(
  query: QueryBuilder<R, R[]>,
  arrival: RawBuilder,
  { column }: PageKey<R>,
  { arrival: from, key }: Place,
): void {
  void query.where(arrival, '>=', from)
  if (key !== undefined) void query.where((rest) => void rest.where(arrival, '>', from).orWhere(column, '>', key))
}

const placeIn =
  ({ read }: PageKey<never>, unused: number) =>
  (text: string): Place | undefined => {
    const [, number, , rest] = /^(\d{1,16})(_(.+))?$/.exec(text) ?? []
    if (number === undefined) return undefined
    const arrival = Number(number)
    if (arrival > unused) throw restored()
    if (rest === undefined) return { arrival }
    const key = read(rest)
    return key === undefined ? undefined : { arrival, key }
  }

function restored(): CodedError {
  const message =
    'The cursor is older than the last restore of the database from a backup. Start again with `order=arrival` and `since`, without a cursor.'
  return new CodedError('VALIDATION_ERROR', { message, details: [{ path: 'cursor', message }] })
}
