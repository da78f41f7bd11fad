/** Random numbers from 0 to 1, the same in every run, so that two databases of one size are alike. */
export function createRandom(seed = 1): () => number {
  let state = seed
  return () => {
    // mulberry32
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

const hex = Array.from({ length: 0x1_0000 }, (_, number) => number.toString(16).padStart(4, '0'))
const four = (number: number): string => hex[number & 0xffff] as string

/**
 * UUIDs of version 7 for given times. Ids of one millisecond have a counter that keeps their order. Millions are
 * needed, so the random bits do not come from the operating system.
 */
export function createIds(random: () => number) {
  let count = 0
  return (ms: number): string => {
    count = (count + 1) & 0xfff
    const high = Math.floor(ms / 0x1_0000)
    const some = Math.floor(random() * 0x1_0000_0000)
    const more = Math.floor(random() * 0x1_0000_0000)
    return `${four(high >>> 16)}${four(high)}-${four(ms % 0x1_0000)}-${four(0x7000 | count)}-${four(0x8000 | (some & 0x3fff))}-${four(some >>> 16)}${four(more)}${four(more >>> 16)}`
  }
}

export const timeOf = (ms: number): string => new Date(ms).toISOString()
