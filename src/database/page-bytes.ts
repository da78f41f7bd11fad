import { raw, type QueryBuilder } from 'objection'
import type { Row } from './row.ts'

/**
 * The bytes of contents after which a page ends early. A page is read, built and sent as one text, and some items have
 * a mebibyte each.
 */
const pageBytes = 1024 * 1024

/** How many items of these sizes fit into a page: at least one, or a large one could never be read. */
export function fittingCount(sizes: number[]): number {
  let total = 0
  const past = sizes.findIndex((bytes) => (total += bytes) > pageBytes)
  return past === -1 ? sizes.length : Math.max(past, 1)
}

/** The number of rows of the page. The query is ordered, and must name its columns. */
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
