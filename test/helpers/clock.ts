/** A clock that stands still until it is moved. */
export function movableClock(start = '2026-11-21T12:00:00.000Z') {
  let time = Date.parse(start)
  return { now: () => new Date(time), forward: (seconds: number) => void (time += seconds * 1000) }
}
