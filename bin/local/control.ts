import { EventEmitter, once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { execa } from 'execa'
import type { Program } from './program.ts'
import { onRecord, type ProcessRecord } from './process-record.ts'

interface ControlHooks {
  onLine?: (line: string) => void
  /** Called with the way the process ended, also after `stop` and `kill`. */
  onExit?: (how: string) => void
}

/** A program that can be started and stopped repeatedly. */
export type Control = ReturnType<typeof createControl>

type Running = Awaited<ReturnType<typeof launch>>

/** Runs the program as a process that is on record while it lives. */
export function createControl(program: Program, record: ProcessRecord, hooks: ControlHooks = {}) {
  let running: Running | undefined

  async function start(): Promise<void> {
    await program.beforeStart?.()
    const current = await launch(program, hooks)
    running = current
    record.add(program.name, current.pid, program.stopSignal)
    void afterwards(current)
    await untilReady(program, current).catch(async (error: unknown) => {
      await current.end('SIGKILL')
      throw error
    })
  }

  async function afterwards(current: Running): Promise<void> {
    const how = await current.exited
    record.remove(current.pid)
    if (running === current) running = undefined
    hooks.onExit?.(how)
  }

  return {
    name: program.name,
    /** Resolves when the program is ready. Rejects with a sentence if it ends first, or takes too long. */
    start,
    /** Asks it to end, and kills it after `stopSeconds`. */
    stop: async () => running?.end(),
    /** Ends it as a crash would. */
    kill: async () => running?.end('SIGKILL'),
    pid: () => running?.pid,
  }
}

async function launch(
  { name, command, args, cwd = '.', env, owner, stopSignal, stopSeconds }: Program,
  { onLine }: ControlHooks,
) {
  const output = new EventEmitter<{ line: [string] }>()
  if (onLine) output.on('line', onLine)
  const report = function* (line: string) {
    output.emit('line', line)
    yield line
  }
  const child = execa(command, args, {
    ...onRecord,
    ...owner,
    cwd,
    env,
    stdout: report,
    stderr: report,
    buffer: false,
    killSignal: stopSignal,
    forceKillAfterDelay: stopSeconds * 1000,
  })
  const { pid, nodeChildProcess } = child
  if (pid === undefined) throw new Error(`${name} cannot be started: ${(await child).originalMessage}`)
  // The promise resolves after the last line of output. A grandchild may hold the pipes, so the wait is limited.
  const cutOff = once(nodeChildProcess, 'exit').then(() => wait(3000, undefined, { ref: false }))
  const exited = Promise.race([child, cutOff]).then(() => {
    const { exitCode, signalCode } = nodeChildProcess
    return signalCode ? `signal ${signalCode}` : `exit code ${exitCode}`
  })
  const end = async (signal?: 'SIGKILL'): Promise<void> => {
    child.kill(signal)
    await exited
  }
  return { pid, output, exited, end }
}

async function untilReady(program: Program, { output, exited }: Running): Promise<void> {
  const over = new AbortController()
  const { signal } = over
  const failure = await Promise.race([
    program.ready({ output, signal }).then(() => undefined),
    wait(program.readySeconds * 1000, `was not ready after ${program.readySeconds} s`, { signal }),
    exited.then((how) => `ended before it was ready (${how})`),
  ])
  over.abort()
  if (failure) throw new Error(`${program.name} ${failure}`)
}
