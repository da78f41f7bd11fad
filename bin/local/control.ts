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
  /** Resolves when a start under way has a process, or has failed. */
  let launching: Promise<unknown> | undefined

  async function start(): Promise<void> {
    const launched = begin()
    launching = launched.catch(() => undefined)
    const current = await launched
    await untilReady(program, current).catch(async (error: unknown) => {
      await current.end('SIGKILL')
      throw error
    })
  }

  async function begin(): Promise<Launched> {
    await program.beforeStart?.()
    running = await launch(program, record, hooks.onLine)
    void afterwards(running)
    return running
  }

  async function end(signal?: 'SIGKILL'): Promise<void> {
    await launching
    await running?.end(signal)
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
    /** Asks the process to end, and kills it after `stopSeconds`. A start under way then rejects. */
    stop: () => end(),
    /** Ends the process as a crash would. */
    kill: () => end('SIGKILL'),
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
