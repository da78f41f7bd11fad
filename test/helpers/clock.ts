/** A clock that goes with the time, and can be put forward. */
export function shiftedClock() {
  let ahead = 0
  return { now: () => new Date(Date.now() + ahead), forward: (seconds: number) => void (ahead += seconds * 1000) }
}

/** A clock that stands still until it is moved. */
export function movableClock(start = '2026-11-21T12:00:00.000Z') {
  let time = Date.parse(start)
  return { now: () => new Date(time), forward: (seconds: number) => void (time += seconds * 1000) }
}
