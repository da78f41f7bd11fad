import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import type { Logger } from '../logger.ts'
import { beat, LostAnswerError, type Beat, type Written } from './writer.ts'

/** How often a process says that it writes its answers, in milliseconds. */
export const beatMs = 1000

/** What a writer learns with a beat: LostAnswerError if the answer no longer belongs to it. */
type Learned = Beat | LostAnswerError

/** Extends the leases of all answers that this process writes, with one statement. */
export function createBeats({ database, logger }: { database: Database; logger: Logger }) {
  const written = new Map<Written, (learned: Learned) => void>()
  let beating: Promise<void> | undefined

  async function beatWhileWriting(): Promise<void> {
    let next = performance.now()
    while (written.size > 0) {
      next = Math.max(next + beatMs, performance.now())
      await delay(next - performance.now())
      await beatAll().catch((error: unknown) => logger.warn({ err: error }, 'failed to extend the leases of answers'))
    }
    beating = undefined
  }

  async function beatAll(): Promise<void> {
    const all = [...written]
    const learned = await learn(all.map(([each]) => each))
    // Others may have begun meanwhile, and some of these may have ended.
    for (const [each, listener] of all) if (written.has(each)) listener(learned(each))
  }

  async function learn(answers: Written[]): Promise<(answer: Written) => Learned> {
    const beats = await beat(database, answers)
    return ({ id }) => beats.get(id) ?? new LostAnswerError()
  }

  return {
    /** Extends the answer's lease now. */
    once: async (answer: Written): Promise<Learned> => (await learn([answer]))(answer),

    /** Extends the answer's lease each second from now on. Returns the function that ends this. */
    keep(answer: Written, listener: (learned: Learned) => void): () => void {
      written.set(answer, listener)
      beating ??= beatWhileWriting()
      return () => written.delete(answer)
    },
  }
}
