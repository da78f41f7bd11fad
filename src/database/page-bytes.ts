import { raw, type QueryBuilder } from 'objection'
import type { Row } from './row.ts'

/**
 * How many bytes of contents a page may have before it ends early. A page is read, made and sent as one text, and some
 * items have a mebibyte each.
 */
const pageBytes = 1024 * 1024

/** How many of the items, whose sizes these are, fit into a page: at least one, or none could ever be read. */
export function fittingCount(sizes: number[]): number {
  let total = 0
  const past = sizes.findIndex((bytes) => (total += bytes) > pageBytes)
  return past === -1 ? sizes.length : Math.max(past, 1)
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
