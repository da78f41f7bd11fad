import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readLocalConfig, type LocalConfig } from '../src/config/local-config.ts'
import { removeMemoryGroups } from './image/memory-group.ts'
import { requireTools } from './image/tools.ts'
import { launch } from './local/launch.ts'
import { onStopRequest } from './local/on-stop.ts'
import { createProcessRecord, endRecorded, type ProcessRecord } from './local/process-record.ts'
import { findTemporal } from './local/temporal/binary.ts'
import { startWarden } from './local/warden.ts'

/**
 * `npm run check -- image`: carries out the steps of the Dockerfile in an empty root, and tries the result as
 * docker-compose.yml starts it, in a network of its own. Needs Linux, root and mmdebstrap, but no container engine.
 * `--debian <folder>` starts from an existing minimal Debian instead of making one.
 */
async function main(): Promise<number> {
  const { debian } = parseArgs({ options: { debian: { type: 'string' } } }).values
  const local = readLocalConfig()
  await requireTools(debian, local.environment)
  const work = mkdtempSync(join(tmpdir(), 'switchyard-image-'))
  const record = createProcessRecord(join(work, 'processes'))
  startWarden(record.folder, local.environment, [work])
  const stopRequested = new Promise<number>((stop) => onStopRequest(local.environment, () => stop(interrupted)))
  void stopRequested.then(() => console.log(`Stopping, and removing ${work} ...`))
  try {
    return await Promise.race([check(local, { work, record, debian }), stopRequested])
  } finally {
    await endRecorded(record.folder)
    await removeMemoryGroups(work)
    rmSync(work, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** The exit code after Ctrl-C. */
const interrupted = 130

interface Work {
  work: string
  record: ProcessRecord
  debian: string | undefined
}

/**
 * Everything happens in one process namespace. When its first process ends, or is killed, the kernel ends all others, and
 * with them all mounts.
 */
async function check(local: LocalConfig, { work, record, debian }: Work): Promise<number> {
  const binary = await findTemporal(local, record, console.log)
  const program = fileURLToPath(new URL('image/whole-check.ts', import.meta.url))
  const namespaces = ['--mount', '--pid', '--mount-proc', '--fork', '--kill-child=SIGKILL']
  const words = [program, work, binary, ...(debian === undefined ? [] : [resolve(debian)])]
  const command = { name: 'image', command: 'unshare', args: [...namespaces, process.execPath, ...words] }
  // The first process of a namespace ignores other signals.
  const ends = { env: local.environment, stopSignal: 'SIGKILL', stopSeconds: 1 } as const
  const child = await launch({ ...command, ...ends }, record, (line) => console.log(line))
  return (await child.exited) === 'exit code 0' ? 0 : 1
}

process.exitCode = await main().catch((error: unknown) => {
  console.error((error as Error).message)
  return 1
})
process.exit()
