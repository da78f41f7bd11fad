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
