/** Random choices that a seed determines: a failure names its seed, and can be had again. */
export interface Chance {
  /** A whole number between the two, both included. */
  whole: (least: number, most: number) => number
  of: <T>(items: readonly [T, ...T[]]) => T
}

/** Mulberry32: four lines, of which every seed gives another sequence. It only has to vary, not to be unpredictable. */
export function chance(seed: number): Chance {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  return { whole, of: (items) => items[whole(0, items.length - 1)] ?? items[0] }
}
