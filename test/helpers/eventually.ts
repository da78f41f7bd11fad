import { setTimeout as delay } from 'node:timers/promises'

/**
 * Polls until there is a result, and throws a sentence after the timeout. The intervals grow, because polling costs
 * more than most of what tests wait for.
 */
export async function eventually<T>(
  seconds: number,
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const began = Date.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    const passed = Date.now() - began
    if (passed > seconds * 1000) throw new Error(`It did not happen within ${seconds} s that ${what}.`)
    await delay(Math.min(300, Math.max(40, passed / 4)))
  }
}
