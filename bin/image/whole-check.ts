import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { execa } from '../execa.ts'
import { printDuration } from '../local/print-duration.ts'
import { makeBase } from './base.ts'
import { buildImage } from './build.ts'

/**
 * `node bin/image/whole-check.ts <work folder> <temporal program> [<minimal Debian>]`, as the first process of process and
 * mount namespaces: builds the image and tries it.
 */
const root = fileURLToPath(new URL('../..', import.meta.url))
const [work = '', binary = '', debian] = process.argv.slice(2)

async function main(): Promise<number> {
  const { environment } = readLocalConfig()
  const base = join(work, 'base')
  await printDuration('A minimal Debian with the user node', () => makeBase(base, debian, npmOf(environment)))
  const image = await buildImage({ project: root, work, base, environment })
  writeFileSync(join(work, 'image.json'), JSON.stringify(image))
  return tryIt()
}

/** In a network namespace, so that the ports are those of docker-compose.yml and nothing outside can be reached. */
async function tryIt(): Promise<number> {
  const line = 'ip link set lo up && exec "$@"'
  const trial = fileURLToPath(new URL('trial.ts', import.meta.url))
  const args = ['--net', 'sh', '-c', line, 'sh', process.execPath, trial, work, binary]
  const { exitCode } = await execa('unshare', args, { cwd: root, stdio: 'inherit', reject: false })
  return exitCode ?? 1
}

/** The npm that runs this check. */
function npmOf({ npm_execpath: file }: Record<string, string>): string {
  if (file === undefined) throw new Error('Start it with npm: npm run check -- image')
  return file
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(`\nThe image failed: ${(error as Error).message}`)
  return 1
})
