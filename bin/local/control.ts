import { setTimeout as wait } from 'node:timers/promises'
import { launch, type Launched } from './launch.ts'
import type { ProcessRecord } from './process-record.ts'
import type { Program } from './program.ts'

interface ControlHooks {
  onLine?: (line: string) => void
  /** Called with a description of how the process ended, also after `stop` and `kill`. */
  onExit?: (how: string) => void
}

/** A program that can be started and stopped repeatedly. */
export type Control = ReturnType<typeof createControl>

/** Runs the program as a process that stays on record while it lives. */
export function createControl(program: Program, record: ProcessRecord, hooks: ControlHooks = {}) {
  let running: Launched | undefined

  async function start(): Promise<void> {
    await program.beforeStart?.()
    const current = await launch(program, record, hooks.onLine)
    running = current
    void afterwards(current)
    await untilReady(program, current).catch(async (error: unknown) => {
      await current.end('SIGKILL')
      throw error
    })
  }

  async function afterwards(current: Launched): Promise<void> {
    const how = await current.exited
    if (running === current) running = undefined
    hooks.onExit?.(how)
  }

  return {
    name: program.name,
    /** Resolves when the program is ready. Rejects with a sentence if it ends first or takes too long. */
    start,
    /** Asks the process to end, and kills it after `stopSeconds`. */
    stop: async () => running?.end(),
    /** Ends the process as a crash would. */
    kill: async () => running?.end('SIGKILL'),
    pid: () => running?.pid,
  }
}

async function untilReady(program: Program, { output, exited }: Launched): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  const failure = await Promise.race([
    program.ready({ output, signal }).then(() => undefined),
    wait(program.readySeconds * 1000, `was not ready after ${program.readySeconds} s`, { signal }),
    exited.then((how) => `exited before it was ready (${how})`),
  ])
  over.abort()
  if (failure) throw new Error(`${program.name} ${failure}`)
}
