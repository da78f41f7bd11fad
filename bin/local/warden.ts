import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { endRecorded } from './process-record.ts'

/**
 * A process that outlives its starter by a moment: when the pipe from the starter breaks, which happens however it
 * ends, the warden ends everything on record. After an ordinary stop there is nothing left to end.
 */
export function startWarden(recordFolder: string, env: Record<string, string>): ChildProcess {
  const warden = spawn(process.execPath, [fileURLToPath(import.meta.url), recordFolder], {
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  warden.unref()
  return warden
}

if (import.meta.main) {
  process.stdin.resume()
  process.stdin.on('close', () => void endRecorded(process.argv[2]!))
}
