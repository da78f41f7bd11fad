import { fileURLToPath } from 'node:url'
import { nodeFlags } from '../../bin/node-flags.ts'
import { createControl, type Control } from '../../bin/local/control.ts'
import { join } from 'node:path'
import { saysMessage, whenAnswering, whenLines } from '../../bin/local/program.ts'
import { record, temporaryFolder } from './folder.ts'

const root = new URL('../../', import.meta.url)

const fileOf = (path: string): string => fileURLToPath(new URL(path, root))

const stopping = { stopSignal: 'SIGTERM' as const, stopSeconds: 10, readySeconds: 60 }

/**
 * A program of the repository as a process that can be started and killed repeatedly. Ready when it logs the message. Only
 * our own programs get our flags of Node.
 */
export function nodeProgram(path: string, env: Record<string, string>, message = 'ready'): Control {
  const ready = whenLines(saysMessage(message))
  const command = {
    name: path,
    command: process.execPath,
    args: [...(path.startsWith('bin/') ? nodeFlags : []), fileOf(path)],
    env,
    ready,
    ...stopping,
  }
  return createControl(command, record, { onLine: showUnusual })
}

/**
 * An API process that writes its log to a file. Reading a line per request here would take a part of the processors
 * from the process that is measured.
 */
export function apiProgram(env: Record<string, string>): Control {
  const log = join(temporaryFolder, `api-${env['PORT']}.log`)
  const ready = whenAnswering(async () => {
    const { ok } = await fetch(`http://127.0.0.1:${env['PORT']}/healthz`)
    if (!ok) throw new Error('the API does not serve yet')
  })
  const args = [
    '-c',
    'log="$1"; shift; exec "$@" >> "$log"',
    'api',
    log,
    process.execPath,
    ...nodeFlags,
    fileOf('bin/api.ts'),
  ]
  return createControl({ name: 'api', command: '/bin/sh', args, env, ready, ...stopping }, record)
}

/** The platform's log lines are JSON, and everything else is a problem that somebody should see. */
function showUnusual(line: string): void {
  if (line !== '' && !line.startsWith('{')) console.error(`  ${line}`)
}
