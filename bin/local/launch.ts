import { EventEmitter, once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { execa } from '../execa.ts'
import type { ProcessRecord } from './process-record.ts'
import type { Command } from './program.ts'

export type Launched = Awaited<ReturnType<typeof launch>>

/**
 * Starts a process that stays on record while it lives. It has its own group, so Ctrl-C in the terminal reaches only
 * this process, which decides the order of stopping. Rejects with a sentence if the command cannot be started.
 */
export async function launch(
  { name, command, args, cwd = '.', env, owner, stopSignal, stopSeconds }: Command,
  record: ProcessRecord,
  onLine?: (line: string) => void,
) {
  const output = new EventEmitter<{ line: [string] }>()
  if (onLine) output.on('line', onLine)
  const report = function* (line: string) {
    output.emit('line', line)
    yield line
  }
  const child = execa(command, args, {
    ...owner,
    cwd,
    env,
    extendEnv: false,
    stdout: report,
    stderr: report,
    buffer: false,
    killSignal: stopSignal,
    forceKillAfterDelay: stopSeconds * 1000,
    killDescendants: true,
    // Processes that are left behind are ended from the record.
    cleanup: false,
    reject: false,
  })
  const { pid, nodeChildProcess } = child
  if (pid === undefined) throw new Error(`${name} cannot be started: ${(await child).originalMessage}`)
  record.add(name, pid, stopSignal)
  // The promise resolves after the last line of output. A grandchild may hold the pipes, so the wait is limited.
  const cutOff = once(nodeChildProcess, 'exit').then(() => wait(3000, undefined, { ref: false }))
  const exited = Promise.race([child, cutOff]).then(() => {
    record.remove(pid)
    const { exitCode, signalCode } = nodeChildProcess
    return signalCode ? `signal ${signalCode}` : `exit code ${exitCode}`
  })
  return {
    pid,
    output,
    /** Resolves with a description of how it ended. */
    exited,
    /** Asks the process to end, and kills it after `stopSeconds`. With SIGKILL, kills it immediately. */
    async end(signal?: 'SIGKILL'): Promise<void> {
      child.kill(signal)
      await exited
    },
  }
}
