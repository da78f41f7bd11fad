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

/** The environment of a process whose own clock is that many milliseconds ahead of this one's. */
export function aheadBy(ms: number) {
  const module = new URL(`./clock-ahead.ts?ms=${ms}`, import.meta.url)
  return { NODE_OPTIONS: `--import=${module.href}` }
}
