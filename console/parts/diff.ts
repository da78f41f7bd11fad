/** Two lists side by side: an item of both, or of one of them. */
export interface Pair<Item> {
  one?: Item
  other?: Item
}

/** The most pairs of items that are compared: a second's tenth of work. */
const mostCompared = 4_000_000

/**
 * The longest common subsequence of two lists, with what lies between. Own code instead of a library, because lines and
 * tool calls need it for items of any kind, and no words, patches or formats. What begins and ends the same is not
 * compared; if too much is left, it counts as replaced.
 */
export function diff<Item>(
  one: readonly Item[],
  other: readonly Item[],
  isSame: (one: Item, other: Item) => boolean = Object.is,
): Pair<Item>[] {
  const shorter = Math.min(one.length, other.length)
  let begin = 0
  while (begin < shorter && isSame(one[begin] as Item, other[begin] as Item)) begin += 1
  let end = 0
  while (end < shorter - begin && isSame(one.at(-1 - end) as Item, other.at(-1 - end) as Item)) end += 1
  const middle = between(one.slice(begin, one.length - end), other.slice(begin, other.length - end), isSame)
  return [
    ...paired(one.slice(0, begin), other.slice(0, begin)),
    ...middle,
    ...paired(one.slice(one.length - end), other.slice(other.length - end)),
  ]
}

const paired = <Item>(one: readonly Item[], other: readonly Item[]): Pair<Item>[] =>
  one.map((item, at) => ({ one: item, other: other[at] as Item }))

function between<Item>(one: Item[], other: Item[], isSame: (one: Item, other: Item) => boolean): Pair<Item>[] {
  if (one.length * other.length > mostCompared)
    return [...one.map((item) => ({ one: item })), ...other.map((item) => ({ other: item }))]
  const width = other.length + 1
  const common = lengths(one, other, isSame)
  const pairs: Pair<Item>[] = []
  let [i, j] = [0, 0]
  while (i < one.length || j < other.length) {
    const [left, right] = [one[i] as Item, other[j] as Item]
    if (i < one.length && j < other.length && isSame(left, right)) {
      pairs.push({ one: left, other: right })
      i += 1
      j += 1
    } else if (
      j >= other.length ||
      (i < one.length && at(common, (i + 1) * width + j) >= at(common, i * width + j + 1))
    ) {
      pairs.push({ one: left })
      i += 1
    } else {
      pairs.push({ other: right })
      j += 1
    }
  }
  return pairs
}

/** For each pair of places, the length of the longest common subsequence from there on. */
function lengths<Item>(one: Item[], other: Item[], isSame: (one: Item, other: Item) => boolean): Uint32Array {
  const width = other.length + 1
  const common = new Uint32Array((one.length + 1) * width)
  for (let i = one.length - 1; i >= 0; i -= 1)
    for (let j = other.length - 1; j >= 0; j -= 1)
      common[i * width + j] = isSame(one[i] as Item, other[j] as Item)
        ? at(common, (i + 1) * width + j + 1) + 1
        : Math.max(at(common, (i + 1) * width + j), at(common, i * width + j + 1))
  return common
}

const at = (numbers: Uint32Array, index: number): number => numbers[index] ?? 0
