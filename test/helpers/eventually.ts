import { setTimeout as delay } from 'node:timers/promises'

/**
 * Asks again until there is an answer, and throws a sentence when there is none in time. What takes long is asked for
 * less and less often: asking costs the machine more than most of what is waited for.
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
    if (passed > seconds * 1000) throw new Error(`It did not come to pass within ${seconds} s that ${what}.`)
    await delay(Math.min(300, Math.max(40, passed / 4)))
  }
}
