import { setTimeout as wait } from 'node:timers/promises'
import { createControl, type Control } from '../local/control.ts'
import { createLogFile } from '../local/log-file.ts'
import { signal, type ProcessRecord } from '../local/process-record.ts'
import type { Program } from '../local/program.ts'
import type { Door } from './door.ts'

/** A program of the cluster. */
export interface Member {
  name: string
  /** The proxies between this member and others, by the other's name; none unless the cluster has doors. */
  doors: Record<string, Door>
  pid: () => number | undefined
  /** Sends a signal to the process group, such as SIGSTOP and SIGCONT. */
  signal(name: NodeJS.Signals): void
  /** SIGKILL, as a crash. It stays down until it is started, unless the cluster restarts what ends. */
  kill(): Promise<void>
  /** Asks it to end, and waits until it has. It stays down, even if it was being started again. */
  stop(): Promise<void>
  /** Starts a member that is down. Resolves when it is ready. Rejects with its last output if it fails. */
  start(): Promise<void>
  /** Stops it and starts it, with the code in another folder if one is given. */
  restart(code?: string): Promise<void>
}

interface MemberOptions {
  /** The program, with the platform's code in the given folder. */
  program: (code: string) => Program
  code: string
  record: ProcessRecord
  logFolder: string
  doors?: Record<string, Door>
  /** Whether it is started again after an unexpected end, as Compose does. */
  restarts: boolean
  say: (text: string) => void
}

/** Compose's own first delay is 100 ms. */
const restartMs = 500

export function createMember(options: MemberOptions): Member {
  const { record, logFolder, doors = {}, restarts, say } = options
  const { name } = options.program(options.code)
  const log = createLogFile(logFolder, name)
  let isWanted = false
  let isReturning = false
  /** Resolves when the member is back, or no longer wanted. */
  let returning = Promise.resolve()
  let control = controlOf(options.code)

  function controlOf(code: string): Control {
    return createControl(options.program(code), record, { onLine: (line) => log.write(line), onExit })
  }

  function onExit(how: string): void {
    // Its port refuses connections now, so the door to it must, too.
    void doors['proxy']?.cut()
    if (!isWanted) return
    say(`${name} ended unexpectedly (${how}). Its log: ${log.path}`)
    // The end of a process that has just been started again is seen by the loop that started it.
    if (restarts && !isReturning) returning = comeBack()
  }

  const isMissing = (): boolean => isWanted && control.pid() === undefined

  async function comeBack(): Promise<void> {
    isReturning = true
    while (isMissing()) {
      await wait(restartMs)
      await startIfWanted().catch((error: unknown) => isWanted && say((error as Error).message))
    }
    isReturning = false
  }

  async function startIfWanted(): Promise<void> {
    if (isWanted) await doors['proxy']?.open()
    if (isWanted) await control.start()
  }

  async function start(): Promise<void> {
    isWanted = false
    await returning
    await doors['proxy']?.open()
    await control.start().catch((error: unknown) => {
      throw new Error([(error as Error).message, ...log.recent().map((line) => `  | ${line}`)].join('\n'))
    })
    isWanted = true
  }

  function send(signalName: NodeJS.Signals): void {
    const pid = control.pid()
    if (pid !== undefined) signal(pid, signalName)
  }

  async function stop(): Promise<void> {
    isWanted = false
    // A frozen process would not hear the request.
    send('SIGCONT')
    await control.stop()
    await returning
  }

  return {
    name,
    doors,
    pid: () => control.pid(),
    signal: send,
    async kill() {
      isWanted &&= restarts
      await control.kill()
    },
    stop,
    start,
    async restart(code) {
      await stop()
      if (code !== undefined) control = controlOf(code)
      await start()
    },
  }
}
