import { setTimeout as wait } from 'node:timers/promises'
import { createControl, type Control } from './control.ts'
import { createLogFile } from './log-file.ts'
import type { ProcessRecord } from './process-record.ts'
import type { Program } from './program.ts'
import { createTerminalOutput } from './terminal-output.ts'

/** Seconds before each attempt to restart a program; the last delay repeats. */
const backOff = [0.5, 1, 2, 5, 10, 15]

/** A program that has run this long has recovered, and its back-off starts over. */
const recoveredMs = 60_000

export type Supervisor = ReturnType<typeof createSupervisor>

/** Keeps programs running: starts them, restarts any that ends unexpectedly, and stops them in reverse order. */
export function createSupervisor(record: ProcessRecord, logFolder: string, say: (text: string) => void) {
  const controls: Control[] = []
  const stopping = new AbortController()

  async function keep(control: Control, failures: number): Promise<void> {
    const seconds = backOff[Math.min(failures, backOff.length - 1)]!
    say(`${control.name}: restarting in ${seconds} s`)
    await wait(seconds * 1000, undefined, { signal: stopping.signal }).catch(() => undefined)
    if (stopping.signal.aborted) return
    await control.start().then(
      () => say(`${control.name}: running again`),
      (error: unknown) => stopping.signal.aborted || say(`${control.name}: ${(error as Error).message}`),
    )
    if (control.pid() === undefined && !stopping.signal.aborted) await keep(control, failures + 1)
  }

  async function start(program: Program): Promise<void> {
    if (stopping.signal.aborted) throw new Error(`${program.name} was not started because everything is stopping`)
    const log = createLogFile(logFolder, program.name)
    const screen = createTerminalOutput(program, log.path, say)
    let up = 0
    let failures = 0
    const onExit = (how: string) => {
      if (up === 0 || stopping.signal.aborted) return
      failures = Date.now() - up > recoveredMs ? 0 : failures + 1
      up = 0
      say(`${program.name} exited unexpectedly (${how}). Its log: ${log.path}`)
      void keep(control, failures).then(() => (up = Date.now()))
    }
    const onLine = (line: string) => {
      log.write(line)
      screen.show(line)
    }
    const control = createControl(program, record, { onLine, onExit })
    controls.push(control)
    await control.start().catch((error: unknown) => {
      throw new Error([(error as Error).message, ...log.recent().map((line) => `  | ${line}`)].join('\n'))
    })
    up = Date.now()
  }

  return {
    /** Resolves when the program is ready. Rejects with a sentence and the last output if it fails to start. */
    start,
    /** Stops everything in reverse order. Nothing starts after this. */
    async stop(): Promise<void> {
      stopping.abort()
      for (const control of controls.toReversed()) await control.stop()
    },
    async kill(): Promise<void> {
      stopping.abort()
      await Promise.all(controls.map((control) => control.kill()))
    },
  }
}
