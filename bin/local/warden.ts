import { spawn, type ChildProcess } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { endRecorded } from './process-record.ts'

/**
 * A process that outlives its starter. When the starter ends for any reason, its pipe to the warden breaks. The warden
 * then ends every process on record and removes the `leftovers`. After an ordinary stop it has nothing to do.
 */
export function startWarden(
  recordFolder: string,
  env: Record<string, string>,
  leftovers: readonly string[] = [],
): ChildProcess {
  const warden = spawn(process.execPath, [fileURLToPath(import.meta.url), recordFolder, ...leftovers], {
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  warden.unref()
  return warden
}

if (import.meta.main) {
  process.stdin.resume()
  const [recordFolder, ...leftovers] = process.argv.slice(2)
  process.stdin.on('close', () => void clearUp(recordFolder!, leftovers))
}

async function clearUp(recordFolder: string, leftovers: string[]): Promise<void> {
  await endRecorded(recordFolder)
  for (const path of leftovers) rmSync(path, { recursive: true, force: true })
}
