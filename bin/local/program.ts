import type { EventEmitter } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

/** What is known of a process while it starts. */
export interface Starting {
  /** Emits `line` (text) for each line of its output. */
  output: EventEmitter<{ line: [string] }>
  /** Aborted when the process has ended or its time to get ready is over. */
  signal: AbortSignal
}

/** A program that `npm start` or a test runs as a process of its own. */
export interface Program {
  name: string
  command: string
  args: string[]
  /** The whole environment of the process. */
  env: Record<string, string>
  cwd?: string
  /** The user to run as, where that is not ours. */
  owner?: { uid: number; gid: number } | undefined
  /** What asks it to end by itself, and how long it may take before it is killed. */
  stopSignal: NodeJS.Signals
  stopSeconds: number
  readySeconds: number
  beforeStart?: () => Promise<void>
  /** Resolves when the process does its work. */
  ready(starting: Starting): Promise<unknown>
  /** What of an output line a person at the terminal should see, if anything. */
  shown?: (line: string) => string | undefined
}

/** Ready when so many output lines have passed the test. */
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

/** Ready when the probe succeeds; it is tried every 100 ms. */
export const whenAnswering =
  (probe: () => Promise<unknown>) =>
  async ({ signal }: Starting): Promise<void> => {
    while (!signal.aborted && !(await succeeds(probe))) await wait(100)
  }

/** Whatever a server says before it is up is no news: only the time limit of the start decides. */
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
