import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ExecutionContext } from 'ava'
import { eventually } from './eventually.ts'
import { ownEnvironment, sharedServers } from './servers.ts'

/** A process of the platform that a test starts, stops and kills. */
export interface PlatformProcess {
  pid: number
  logs: string[]
  /** The exit code once it has ended. */
  ended: Promise<number | null>
  /** SIGKILL: no handler runs. */
  kill(): Promise<void>
  /** SIGTERM. Resolves with the exit code once the process has ended. */
  stop(): Promise<number | null>
}

/**
 * Starts an API or a worker with the given environment and waits until it is ready. Workers get the workflow code
 * bundled for all tests, or bundle it themselves as in production. The code may be that of another folder.
 */
export async function startProcess(
  t: ExecutionContext,
  name: 'api' | 'worker',
  env: Record<string, string>,
  { bundles = false, root = fileURLToPath(new URL('../..', import.meta.url)) } = {},
): Promise<PlatformProcess> {
  const file = join(root, 'bin', `${name}.ts`)
  const given = name === 'worker' && !bundles ? [sharedServers().bundle] : []
  const child = spawn(process.execPath, [file, ...given], {
    env: { ...ownEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const logs = collect(child)
  const ended = once(child, 'close').then(([code]) => code as number | null)
  t.teardown(() => void child.kill('SIGKILL'))
  const ready = name === 'api' ? '"msg":"listening"' : '"msg":"polling"'
  await eventually(60, `${name} is ready`, () => {
    if (child.exitCode !== null) throw new Error(`${name} ended: ${logs.join('\n')}`)
    return logs.some((line) => line.includes(ready)) || undefined
  }).catch((error: unknown) => {
    throw new Error(`${(error as Error).message} Its output:\n${logs.slice(-20).join('\n')}`, { cause: error })
  })
  return {
    pid: child.pid as number,
    logs,
    ended,
    kill: async () => void (await end(child, 'SIGKILL')),
    stop: () => end(child, 'SIGTERM'),
  }
}

function collect(child: ChildProcess): string[] {
  const logs: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      logs.push(...lines)
    })
  }
  return logs
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
  return child.exitCode
}
