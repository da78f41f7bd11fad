import { spawn, type ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Program } from './program.ts'
import { signal, type ProcessRecord } from './process-record.ts'

export interface ControlHooks {
  onLine?: (line: string) => void
  /** Told of every end of the process, with how it ended; also of those that were asked for. */
  onExit?: (how: string) => void
}

/** A program that can be started and stopped again and again. */
export type Control = ReturnType<typeof createControl>

interface Running {
  child: ChildProcess
  pid: number
  output: EventEmitter<{ line: [string] }>
  /** Resolves with how it ended. */
  exited: Promise<string>
}

/** Runs the program as a process that is on record for as long as it lives. */
export function createControl(program: Program, record: ProcessRecord, hooks: ControlHooks = {}) {
  let running: Running | undefined

  async function start(): Promise<void> {
    await program.beforeStart?.()
    const current = await launch(program, hooks)
    running = current
    record.add(program.name, current.pid, program.stopSignal)
    void afterwards(current)
    await untilReady(program, current).catch(async (error: unknown) => {
      await endProcess(current, 'SIGKILL', 0)
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
    /** Resolves when the program is ready; rejects with a sentence if it ends or takes too long before. */
    start,
    /** Asks it to end, and kills it when its time is over. */
    stop: async () => running && endProcess(running, program.stopSignal, program.stopSeconds),
    /** Ends it as a crash would. */
    kill: async () => running && endProcess(running, 'SIGKILL', 0),
    pid: () => running?.pid,
  }
}

async function launch(program: Program, hooks: ControlHooks): Promise<Running> {
  const child = spawn(program.command, program.args, {
    env: program.env,
    cwd: program.cwd,
    ...program.owner,
    // A group of its own: Ctrl-C in the terminal must reach us alone, so that the order of stopping is ours.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const output = new EventEmitter<{ line: [string] }>()
  if (hooks.onLine) output.on('line', hooks.onLine)
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => output.emit('line', line))
  }
  child.stdin.on('error', () => {
    // A child may close its input or end before us; nothing is ever written to it.
  })
  await once(child, 'spawn').catch((error: unknown) => {
    throw new Error(`${program.name} cannot be started: ${(error as Error).message}`)
  })
  return { child, pid: child.pid!, output, exited: untilExit(child) }
}

/** `close` comes after the last line of output; it is waited for, but not for ever: a grandchild may hold the pipes. */
const untilExit = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    const tell = (code: number | null, name: string | null) => resolve(name ? `signal ${name}` : `exit code ${code}`)
    child.once('close', tell)
    child.once('exit', (code, name) => setTimeout(() => tell(code, name), 3000).unref())
  })

async function untilReady(program: Program, { output, exited }: Running): Promise<void> {
  const over = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`was not ready after ${program.readySeconds} s`), program.readySeconds * 1000)
  })
  const ready = program.ready({ output, signal: over.signal }).then(() => undefined)
  const failure = await Promise.race([ready, late, exited.then((how) => `ended before it was ready (${how})`)])
  clearTimeout(timer)
  over.abort()
  if (failure) throw new Error(`${program.name} ${failure}`)
}

async function endProcess({ pid, exited }: Running, name: NodeJS.Signals, seconds: number): Promise<void> {
  signal(pid, name)
  const timer = setTimeout(() => signal(pid, 'SIGKILL'), seconds * 1000)
  await exited
  clearTimeout(timer)
}
