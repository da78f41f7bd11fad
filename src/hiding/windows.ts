import type { Pattern } from './pattern.ts'

/**
 * Which texts begin as the forms of secrets do, as far as `size` units tell. It says so in the same time whatever the forms
 * are. A text that differs in capitals counts, too.
 */
export function createWindows(forms: readonly Pattern[], size: number) {
  const longest = new Map<number, number>()
  for (const { units, length } of forms) {
    const window = hashAt(units, 0, size)
    longest.set(window, Math.max(longest.get(window) ?? 0, length))
  }
  return {
    /** The length of the longest form that begins like the text at this place, else 0. */
    longestAt: (units: Uint16Array, start: number): number => longest.get(hashAt(units, start, size)) ?? 0,
  }
}

/**
 * FNV-1a of two units at once, and of 30 bits, which V8 keeps in place. A capital has the bit of 32 less than its small
 * letter. Who makes another text of the same hash has it hidden.
 */
function hashAt(units: Uint16Array, start: number, size: number): number {
  let hash = 0x811c9dc5
  const end = start + size - 1
  for (let at = start; at < end; at += 2) {
    const two = (units[at] ?? 0) | ((units[at + 1] ?? 0) << 16)
    hash = Math.imul(hash ^ (two | 0x20_0020), 0x0100_0193)
    hash ^= hash >>> 15
  }
  return hash >>> 2
}
