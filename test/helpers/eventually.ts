import { setTimeout as delay } from 'node:timers/promises'

/** Asks again until there is an answer, and throws a sentence when there is none in time. */
export async function eventually<T>(
  seconds: number,
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadline = Date.now() + seconds * 1000
  // Less and less often: asking is most of what a test that waits costs.
  for (let pause = 50; ; pause = Math.min(pause * 1.2, 200)) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() > deadline) throw new Error(`It did not come to pass within ${seconds} s that ${what}.`)
    await delay(pause)
  }
}
