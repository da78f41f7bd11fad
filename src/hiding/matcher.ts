import { minLength } from './spellings.ts'

/** A match, from its first unit to the one after its last. */
export type Span = [from: number, to: number]

export interface Effort {
  left: number
}

/** Spellings of one length with the same beginning. */
interface Alike {
  length: number
  power: number
  hashes: Set<number>
}

/**
 * Usual texts need less than one comparison in ten units. Many short texts must cost little more than one long text.
 */
const effortFor = ({ length }: string): Effort => ({ left: 64 + 3 * length })
/** An odd number: the multiplier of FNV-1a. */
const base = 0x0100_0193

/**
 * Finds many spellings in one pass (Rabin-Karp): if 8 units have the hash of a beginning, the whole is compared by its
 * hash, once per length of the spellings with this beginning.
 *
 * An owner could choose secrets of many lengths, and a text whose every position looks like their beginning. Once a
 * text has used up its effort, each beginning counts as a match of the longest spelling: this hides too much, never too
 * little. A text with the same hash is hidden too.
 */
export function createMatcher() {
  const groups = new Map<number, Alike[]>()
  /** Whether a spelling may begin with a hash, by the upper half of the hash. */
  const heads = new Uint8Array(1 << 16)
  /** The length of the longest spelling, by the hash of its first 1, 2, 4, 8 … units. */
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

  /** All matches, in order. Overlapping matches are merged. */
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

  /** Where a spelling may have begun that more text would complete; the length of the text if there is none. */
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

/** The length of the longest spelling here, or 0. The longest are tried first. */
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

/** The hashes of all prefixes, from which the hash of any part is computed in one step. */
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
/** The powers of `base` for 1, 2, 4, 8 … */
const squares = Array.from({ length: 31 }, (_, doublings) => powerOf(2 ** doublings))
