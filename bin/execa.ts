import type { ChildProcess } from 'node:child_process'
import { execa as run } from 'execa'

type Output = 'inherit' | 'pipe' | 'ignore' | ((line: string) => Generator<string> | AsyncGenerator<string>)

/** The options of execa that this repository uses. */
interface Options {
  cwd?: string
  env?: NodeJS.ProcessEnv
  extendEnv?: boolean
  uid?: number
  gid?: number
  /** Also looks for the command in `node_modules/.bin`. */
  preferLocal?: boolean
  stdio?: 'inherit' | 'pipe' | ['ignore', 'pipe', 'ignore']
  stdin?: 'pipe' | 'ignore'
  /** What the process reads. */
  input?: string
  stdout?: Output
  stderr?: Output
  /** Adds `all`: both outputs in their order. */
  all?: boolean
  /** Whether the outputs are kept. */
  buffer?: boolean
  /** In milliseconds, like `forceKillAfterDelay`. */
  timeout?: number
  killSignal?: NodeJS.Signals
  forceKillAfterDelay?: number
  killDescendants?: boolean
  /** Whether the process is killed with this one. */
  cleanup?: boolean
  /** Whether a failure rejects. */
  reject?: boolean
}

interface Ended {
  failed: boolean
  exitCode: number | undefined
  stdout: string
  stderr: string
  all: string
  shortMessage: string
  originalMessage: string
}

/** A process. Resolves when it has ended, and iterates over the lines of its output. */
type Running = Promise<Ended> &
  AsyncIterable<string> & {
    pid: number | undefined
    nodeChildProcess: ChildProcess
    stdin: NodeJS.WritableStream
    kill(signal?: NodeJS.Signals): boolean
  }

/** execa with plain types: with its own, lint and type checks of the whole repository take a fifth longer. */
export const execa = run as unknown as (command: string, args: readonly string[], options?: Options) => Running
