import { raw, type QueryBuilder } from 'objection'
import { later } from '../clock.ts'
import { firstIdAt, isId } from '../ids.ts'
import { arrivalPage } from './arrival-page.ts'
import { readCursor, writeCursor } from './cursor.ts'
import { countOfPage } from './page-bytes.ts'
import type { Keyed, KeyRange, Page, PageKey, Paging, Period } from './page.ts'
import type { Row } from './row.ts'

export type { KeyRange, Page, PageKey, PageRequest, Period } from './page.ts'

/** One page of the query's rows, newest first by default. VALIDATION_ERROR for a cursor of another list. */
export async function page<R extends Row>(query: QueryBuilder<R, R[]>, paging: Paging<R>): Promise<Page<R>> {
  const { of = {}, key = byId } = paging
  for (const [field, id] of Object.entries(of)) void query.whereRaw(ofStatement, [field, id])
  if (paging.since ?? paging.until) await restrictToPeriod(query, key.column, paging)
  return paging.order === 'arrival' ? arrivalPage(query, { ...paging, key }) : newestPage(query, { ...paging, key })
}

/**
 * Fetches one row more than the limit, to know whether another page exists. For rows with large contents, it fetches
 * their sizes first.
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

/** One process creates an id and the time beside it within moments, but not in the same one, and in either order. */
const apartSeconds = 60

/** A period that certainly contains all rows whose key was created within seconds of their time. */
export const widened = ({ since, until }: Period): Period => ({
  since: since && later(since, -apartSeconds),
  until: until && later(until, apartSeconds),
})

function idsOf(period: Period): KeyRange {
  const { since, until } = widened(period)
  return { from: since && firstIdAt(since), before: until && firstIdAt(until) }
}

/**
 * A subquery hides the value from the planner. Otherwise, for an owner with many rows, it would read the whole table by
 * its primary key, which is slow if the newest rows are other owners'.
 */
const ofStatement = '?? = (select ?::uuid)'

/** The possible values of rows: one combination without a filter or an index for it. */
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

/** The key of rows that are read with other tables: their id, qualified by the table. */
export const idIn = (column: string): PageKey<Row> => ({
  column,
  read: (text) => (isId(text) ? text : undefined),
  write: (row) => String(row.$id()),
})

const byId = idIn('id')
