import { setTimeout as delay } from 'node:timers/promises'
import { Deviation } from './deviation.ts'

const lookEveryMs = 150

/** Polls until there is a result. Throws a Deviation after the given time, which names the missing event. */
export async function until<T>(seconds: number, what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + seconds * 1000
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (Date.now() > deadline) throw new Deviation(`${what}: not within ${seconds} s`)
    await delay(lookEveryMs)
  }
}
