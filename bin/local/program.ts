import type { EventEmitter } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

export interface Starting {
  /** Emits `line` (text) for each line of its output. */
  output: EventEmitter<{ line: [string] }>
  /** Aborts when the process is ready, has ended or has taken too long. */
  signal: AbortSignal
}

export interface Command {
  name: string
  command: string
  args: string[]
  /** The whole environment of the process. */
  env: Record<string, string>
  cwd?: string
  /** The user to run as, if not ours. */
  owner?: { uid: number; gid: number } | undefined
  /** The signal that asks it to end, and the time before it is killed. */
  stopSignal: NodeJS.Signals
  stopSeconds: number
}

/** A program that `npm start` or a test runs as a process. */
export interface Program extends Command {
  readySeconds: number
  beforeStart?: () => Promise<void>
  ready(starting: Starting): Promise<unknown>
  /** The part of an output line that the terminal shows, if any. */
  shown?: (line: string) => string | undefined
}

/** Ready when `count` output lines have passed the test. */
export const whenLines =
  (test: (line: string) => boolean, count = 1) =>
  ({ output, signal }: Starting): Promise<void> =>
    new Promise((resolve) => {
      let seen = 0
      const listen = (line: string) => {
        if (test(line) && ++seen === count) resolve()
      }
      output.on('line', listen)
      signal.addEventListener('abort', () => output.off('line', listen))
    })

/** Ready when the probe, tried every 100 ms, succeeds. */
export const whenAnswering =
  (probe: () => Promise<unknown>) =>
  async ({ signal }: Starting): Promise<void> => {
    while (!signal.aborted && !(await succeeds(probe))) await wait(100)
  }

/** Errors of a server that is still starting do not matter; only the time limit ends the start. */
const succeeds = (probe: () => Promise<unknown>): Promise<boolean> =>
  probe().then(
    () => true,
    () => false,
  )

/** Whether an output line is a JSON log line with this message. */
export const saysMessage =
  (message: string) =>
  (line: string): boolean =>
    parseLine(line)?.['msg'] === message

/** An output line as an object, or undefined if it is not JSON. */
export function parseLine(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
