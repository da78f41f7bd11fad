/** What became of the items of an agent. */
export interface Counts {
  /** Accepted, and without an effect when the wait ended. */
  lost: number
  /** Effects beyond the first of an item. */
  doubled: number
  /** Items whose first effect came after that of a later item. */
  reordered: number
}

/** Compares the list of an agent with the numbers from 1 to `count`, all of which were accepted. */
export function countOf(list: number[], count: number): Counts {
  const firsts = [...new Set(list)]
  let highest = 0
  let reordered = 0
  for (const number of firsts) {
    if (number < highest) reordered += 1
    highest = Math.max(highest, number)
  }
  return { lost: count - firsts.length, doubled: list.length - firsts.length, reordered }
}

export const sumOf = (all: Counts[]): Counts => ({
  lost: all.reduce((sum, { lost }) => sum + lost, 0),
  doubled: all.reduce((sum, { doubled }) => sum + doubled, 0),
  reordered: all.reduce((sum, { reordered }) => sum + reordered, 0),
})
