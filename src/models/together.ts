import { setImmediate } from 'node:timers/promises'

/** A stream that never pauses would keep the event loop to itself, so the loop turns after each full group. */
const partsInGroup = 100

/**
 * Reads a stream in groups: each has the parts that arrive within one turn of the event loop, at most a hundred. A
 * failure comes after the parts before it. A reader that stops early cancels the stream.
 */
export async function* together<T>(stream: ReadableStream<T>): AsyncGenerator<[T, ...T[]]> {
  const reader = stream.getReader()
  try {
    let next = reader.read()
    for (let first = await next; !first.done; first = await next) {
      const group: [T, ...T[]] = [first.value]
      const turn = setImmediate(undefined)
      next = reader.read()
      for (let more = await arrived(next, turn); more && !more.done; more = await arrived(next, turn)) {
        group.push(more.value)
        next = reader.read()
        if (group.length === partsInGroup) await turn
      }
      yield group
    }
  } finally {
    await reader.cancel()
  }
}

/** What has been read before the turn ends. A failure is left to the next group, which awaits it. */
const arrived = <T>(next: Promise<T>, turn: Promise<undefined>): Promise<T | undefined> =>
  Promise.race([next.catch(() => undefined), turn])
