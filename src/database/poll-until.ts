import { setTimeout as delay } from 'node:timers/promises'

const pollMs = 100

/** Polls a row until it is over, or for the given milliseconds. Returns its last state. */
export async function pollUntil<T>(read: () => Promise<T>, isOver: (row: T) => boolean, longestMs: number): Promise<T> {
  const until = performance.now() + longestMs
  let row = await read()
  while (!isOver(row) && performance.now() < until) {
    await delay(pollMs)
    row = await read()
  }
  return row
}
