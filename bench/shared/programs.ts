import { fileURLToPath } from 'node:url'
import { createControl, type Control } from '../../bin/local/control.ts'
import { saysMessage, whenLines } from '../../bin/local/program.ts'
import { record } from './folder.ts'

const root = new URL('../../', import.meta.url)

/** A program of the repository as a process that can be started and killed repeatedly. Ready when it logs the message. */
export function nodeProgram(path: string, env: Record<string, string>, message = 'ready'): Control {
  const command = {
    name: path,
    command: process.execPath,
    args: [fileURLToPath(new URL(path, root))],
    env,
    stopSignal: 'SIGTERM' as const,
    stopSeconds: 10,
    readySeconds: 60,
    ready: whenLines(saysMessage(message)),
  }
  return createControl(command, record, { onLine: showUnusual })
}

/** The platform's log lines are JSON, and everything else is a problem that somebody should see. */
function showUnusual(line: string): void {
  if (line !== '' && !line.startsWith('{')) console.error(`  ${line}`)
}
