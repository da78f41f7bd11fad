import { Piscina } from 'piscina'
import { createTurns } from './turns.ts'
import { startWorkLimit, type WorkLimitOptions } from './work-limit.ts'

/** Functions of the module that runs in the threads. Inputs and results are cloned. */
type Work = Record<string, (input: never) => unknown>

type Result<W extends Work, N extends keyof W> = Awaited<ReturnType<W[N]>>

interface ThreadsOptions {
  /** The module. It gets no environment, so no secrets. */
  file: URL
  /** How many threads there are at most. */
  places?: number
  /** How long one call may work, in milliseconds; then its thread is ended. */
  deadlineMs?: number
  /** How much memory one thread may use, in MiB; then it is ended. */
  memoryMb?: number
  usedMs?: WorkLimitOptions['usedMs']
}

/** Work was given up because it took too long or too much memory. */
export class TooComplexError extends Error {
  override name = 'TooComplexError'
}

/** For `catch`: what counts as the result of work that was given up. Other errors are thrown. */
export const orElse =
  <T>(result: T) =>
  (error: unknown): T => {
    if (error instanceof TooComplexError) return result
    throw error
  }

/**
 * Threads for work whose time strangers control, so that the event loop stays free for everybody else. Parties take
 * turns. The deadline is the last resort: the work has limits of its own, which do not depend on how busy the machine is.
 */
export function createThreads<W extends Work>(options: ThreadsOptions) {
  const { file, places = 2, deadlineMs = 10_000, memoryMb = 256, usedMs } = options
  const turns = createTurns(places)
  let pool: Piscina | undefined

  const open = (): Piscina =>
    new Piscina({
      filename: file.href,
      minThreads: 0,
      maxThreads: places,
      idleTimeout: 60_000,
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: memoryMb },
    })

  async function carryOut<N extends keyof W & string>(name: N, input: Parameters<W[N]>[0]): Promise<Result<W, N>> {
    pool ??= open()
    const { signal, clear } = startWorkLimit(deadlineMs, { usedMs })
    try {
      return (await pool.run(input, { name, signal })) as Result<W, N>
    } catch (error) {
      if (isGivenUp(error)) throw new TooComplexError(`${name} was given up`, { cause: error })
      throw error
    } finally {
      clear()
    }
  }

  return {
    /** Calls a function of the module when it is the party's turn. Throws TooComplexError if it is given up. */
    run: <N extends keyof W & string>(party: string, name: N, input: Parameters<W[N]>[0]): Promise<Result<W, N>> =>
      turns.take(party, () => carryOut(name, input)),
    close: async (): Promise<void> => pool?.destroy(),
  }
}

export type Threads<W extends Work> = ReturnType<typeof createThreads<W>>

const isGivenUp = (error: unknown): boolean => {
  const { name, code } = error as { name?: unknown; code?: unknown }
  return name === 'AbortError' || code === 'ERR_WORKER_OUT_OF_MEMORY'
}
