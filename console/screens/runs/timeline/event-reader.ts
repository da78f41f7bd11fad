import type { Api } from '../../../api/client.ts'

type RunEvent = Api['RunEvent']
/** Reads at most `limit` events after that number. The API may return fewer. */
export type ReadPage = (after: number, limit: number) => Promise<readonly RunEvent[]>

/** How long events are gathered, in milliseconds. */
const gatherMs = 60
/** Events that are nearer than this are read together, with those between them. */
const near = 4
const perRequest = 100

const setLater = (work: () => void, ms: number): void => void setTimeout(work, ms)

/**
 * Reads single events with their bodies. Those that are wanted at the same time are read together: to open all rows of
 * a window would otherwise take fifty requests.
 */
export function createEventReader(readPage: ReadPage, later = setLater): (number: number) => Promise<RunEvent> {
  let wanted = new Map<number, PromiseWithResolvers<RunEvent>>()

  function send(): void {
    const batch = wanted
    wanted = new Map()
    for (const range of rangesOf([...batch.keys()])) void read(range, batch)
  }

  async function read({ first, last }: Range, batch: typeof wanted): Promise<void> {
    try {
      for (let after = first - 1; after < last;) {
        const events = await readPage(after, last - after)
        if (events.length === 0) throw new Error(`Event ${after + 1} is missing.`)
        for (const event of events) batch.get(event.number)?.resolve(event)
        after += events.length
      }
    } catch (error) {
      // Those that were read already are settled, and stay so.
      for (let number = first; number <= last; number += 1) batch.get(number)?.reject(error)
    }
  }

  return (number) => {
    if (wanted.size === 0) later(send, gatherMs)
    const known = wanted.get(number) ?? Promise.withResolvers<RunEvent>()
    wanted.set(number, known)
    return known.promise
  }
}

interface Range {
  first: number
  last: number
}

export function rangesOf(numbers: readonly number[]): Range[] {
  const ranges: Range[] = []
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const range = ranges.at(-1)
    if (range && number - range.last < near && number - range.first < perRequest) range.last = number
    else ranges.push({ first: number, last: number })
  }
  return ranges
}
