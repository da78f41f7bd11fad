import { minLength } from './spellings.ts'

/** Where something was found: from the first unit to the one after the last. */
export type Span = [from: number, to: number]

/** How many comparisons are left to a text. */
export interface Effort {
  left: number
}

/** Spellings of one length that begin alike. */
interface Alike {
  length: number
  /** Of `base`, to the length. */
  power: number
  hashes: Set<number>
}

/** Usual texts need less than one in ten units. Many short texts must not need much more than a long one. */
const effortFor = ({ length }: string): Effort => ({ left: 64 + 3 * length })
/** An odd number: the multiplier of FNV-1a. */
const base = 0x0100_0193

/**
 * Finds many spellings in one pass (Rabin and Karp): where 8 units have the hash of a beginning, the whole is compared by
 * its hash, once for each length that spellings with this beginning have.
 *
 * The owner of secrets could choose many lengths, and a text of which every place begins like them. Once a text has taken
 * its effort, what begins like a spelling counts as the longest of them: too much is hidden, and never too little. Another
 * text of the same hash is hidden, too.
 */
export function createMatcher() {
  const groups = new Map<number, Alike[]>()
  /** By the upper half of a hash, whether a spelling may begin with it. */
  const heads = new Uint8Array(1 << 16)
  /** By the hash of the first 1, 2, 4, 8 … units of spellings, the length of the longest that begins so. */
  const begun = new Map<number, number>()
  let longest = 0

  function add(spelling: string): void {
    const { length } = spelling
    const hashes = hashesOf(spelling)
    const head = hashes[minLength] ?? 0
    heads[head >>> 16] = 1
    const group = groups.get(head) ?? []
    groups.set(head, group)
    let alike = group.find((each) => each.length === length)
    if (!alike) {
      alike = { length, power: powerOf(length), hashes: new Set() }
      group.push(alike)
      group.sort((one, other) => other.length - one.length)
    }
    alike.hashes.add(hashes[length] ?? 0)
    for (let size = 1; size <= length; size *= 2) {
      const beginning = hashes[size] ?? 0
      begun.set(beginning, Math.max(begun.get(beginning) ?? 0, length))
    }
    longest = Math.max(longest, length)
  }

  /** Everything that is found, in order; what overlaps is one span. */
  function find(text: string, effort = effortFor(text)): Span[] {
    const spans: Span[] = []
    const hashes = hashesOf(text)
    for (let at = 0; at + minLength <= text.length; at += 1) {
      const group = groupAt(hashes, at)
      const length = group ? longestAt(hashes, at, group, effort) : 0
      if (length > 0) addSpan(spans, at, at + length)
    }
    return spans
  }

  function groupAt(hashes: Int32Array, at: number): Alike[] | undefined {
    const head = partOf(hashes, at, minLength, headPower)
    return heads[head >>> 16] === 1 ? groups.get(head) : undefined
  }

  /** Where at the end of a text a spelling may have begun that more text would complete; else the length of the text. */
  function openAt(text: string): number {
    const hashes = hashesOf(text)
    for (let at = Math.max(0, text.length - longest + 1); at < text.length; at += 1) {
      const length = text.length - at
      const doublings = 31 - Math.clz32(length)
      const beginning = partOf(hashes, at, 2 ** doublings, squares[doublings] ?? 0)
      if ((begun.get(beginning) ?? 0) > length) return at
    }
    return text.length
  }

  return { add, find, openAt }
}

export type Matcher = ReturnType<typeof createMatcher>

/** The length of the longest spelling at this place, else 0. The longest come first. */
function longestAt(hashes: Int32Array, at: number, group: Alike[], effort: Effort): number {
  const most = hashes.length - 1 - at
  for (const { length, power, hashes: known } of group) {
    if (effort.left <= 0) return Math.min(most, group[0]?.length ?? 0)
    effort.left -= 1
    if (length <= most && known.has(partOf(hashes, at, length, power))) return length
  }
  return 0
}

function addSpan(spans: Span[], from: number, to: number): void {
  const last = spans.at(-1)
  if (last && from < last[1]) last[1] = Math.max(last[1], to)
  else spans.push([from, to])
}

/** Of each beginning of a text, so that the hash of every part of it is known in one step. */
function hashesOf(text: string): Int32Array {
  const hashes = new Int32Array(text.length + 1)
  let hash = 0
  for (let at = 0; at < text.length; at += 1) {
    hash = (Math.imul(hash, base) + text.charCodeAt(at) + 1) | 0
    hashes[at + 1] = hash
  }
  return hashes
}

const partOf = (hashes: Int32Array, at: number, length: number, power: number): number =>
  ((hashes[at + length] ?? 0) - Math.imul(hashes[at] ?? 0, power)) | 0

function powerOf(length: number): number {
  if (length === 0) return 1
  const root = powerOf(Math.floor(length / 2))
  return Math.imul(Math.imul(root, root), length % 2 === 0 ? 1 : base)
}

const headPower = powerOf(minLength)
/** Of `base`, to 1, 2, 4, 8 … */
const squares = Array.from({ length: 31 }, (_, doublings) => powerOf(2 ** doublings))
