import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readLocalConfig } from '../src/config/local-config.ts'
import { execa } from './execa.ts'
import { makeBase } from './image/base.ts'
import { buildImage } from './image/build.ts'
import { requireTools } from './image/tools.ts'
import { printDuration } from './local/print-duration.ts'
import { createProcessRecord } from './local/process-record.ts'
import { findTemporal } from './local/temporal/binary.ts'

/**
 * `npm run check -- image`: carries out the steps of the Dockerfile in an empty root, and tries the result as
 * docker-compose.yml starts it, in a network of its own. Needs Linux, root and mmdebstrap, but no container engine.
 * `--debian <folder>` starts from an existing minimal Debian instead of making one.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

async function main(): Promise<number> {
  const { debian } = parseArgs({ options: { debian: { type: 'string' } } }).values
  await requireTools(debian === undefined ? [] : ['mmdebstrap'])
  const local = readLocalConfig()
  const work = mkdtempSync(join(tmpdir(), 'switchyard-image-'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => (remove(work), process.exit(130)))
  try {
    const binary = await findTemporal(local, createProcessRecord(join(work, 'getting')), console.log)
    const base = join(work, 'base')
    await printDuration('A minimal Debian with the user node', () => makeBase(base, debian, npmOf(local.environment)))
    const image = await buildImage({ project: root, work, base, environment: local.environment })
    writeFileSync(join(work, 'image.json'), JSON.stringify(image))
    return await tryIt(work, binary)
  } finally {
    remove(work)
  }
}

/** In a network namespace, so that the ports are those of docker-compose.yml and nothing outside can be reached. */
async function tryIt(work: string, binary: string): Promise<number> {
  const line = 'ip link set lo up && exec "$@"'
  const trial = fileURLToPath(new URL('image/trial.ts', import.meta.url))
  const args = ['--net', 'sh', '-c', line, 'sh', process.execPath, trial, work, binary]
  const { exitCode } = await execa('unshare', args, { cwd: root, stdio: 'inherit', reject: false })
  return exitCode ?? 1
}

/** The npm that runs this check. */
function npmOf({ npm_execpath: file }: Record<string, string>): string {
  if (file === undefined) throw new Error('Start it with npm: npm run check -- image')
  return file
}

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })

process.exitCode = await main().catch((error: unknown) => {
  console.error(`\nThe image failed: ${(error as Error).message}`)
  return 1
})
