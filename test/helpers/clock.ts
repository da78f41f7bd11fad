/** A running clock that can be advanced. */
export function shiftedClock() {
  let ahead = 0
  return { now: () => new Date(Date.now() + ahead), forward: (seconds: number) => void (ahead += seconds * 1000) }
}

/** A clock that stands still until the test moves it. */
export function movableClock(start = '2026-11-21T12:00:00.000Z') {
  let time = Date.parse(start)
  return { now: () => new Date(time), forward: (seconds: number) => void (time += seconds * 1000) }
}

/** What a process needs in its environment for its clock to be ahead by so many milliseconds, or behind. */
export const ahead = (ms: number): Record<string, string> => {
  if (ms === 0) return {}
  const module = new URL('clock-ahead.ts', import.meta.url)
  module.searchParams.set('ms', String(ms))
  return { NODE_OPTIONS: `--import=${module.href}` }
}
