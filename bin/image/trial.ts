import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readLocalConfig } from '../../src/config/local-config.ts'
import { createProcessRecord, endRecorded } from '../local/process-record.ts'
import type { Image } from './build.ts'
import { readServices } from '../compose.ts'
import { dotEnv, makeFolders, startServers } from './installation.ts'
import { trials, type Ground } from './trials.ts'

/**
 * `node bin/image/trial.ts <work folder> <temporal program>`, in a network namespace of its own: starts the services of
 * docker-compose.yml in the built image, and prints a line for everything that it tries.
 */
const project = fileURLToPath(new URL('../..', import.meta.url))
const [work = '', binary = ''] = process.argv.slice(2)

const untried = [
  'the base image and the other images, from their registry and by their digests',
  'an engine: its own init, log rotation, restarts, order of the start, and when it runs health checks',
  'the limits of memory of Postgres and Temporal, which ran outside of containers',
]

async function main(): Promise<number> {
  const folder = join(work, 'installation')
  mkdirSync(folder)
  const { environment } = readLocalConfig()
  const record = createProcessRecord(join(folder, 'processes'))
  writeFileSync(join(folder, 'hosts'), '127.0.0.1 localhost postgres temporal api worker\n')
  await makeFolders(project, folder)
  const image = JSON.parse(readFileSync(join(work, 'image.json'), 'utf8')) as Image
  const services = readServices(readFileSync(join(project, 'docker-compose.yml'), 'utf8'), dotEnv)
  const ground: Ground = { image, services, folder, running: new Map() }
  try {
    await startServers(folder, record, { binary, environment })
    await tryAll(ground)
  } finally {
    // After a failure.
    for (const service of ground.running.values()) {
      await service.stop()
      service.memory?.remove()
    }
    await endRecorded(record.folder)
  }
  console.log(['', 'Not tried here:', ...untried.map((each) => `  ${each}`)].join('\n'))
  return 0
}

async function tryAll(ground: Ground): Promise<void> {
  for (const { says, tries } of trials) {
    const saw = await tries(ground).catch((error: unknown) => {
      throw new Error(`✘ ${says}\n${(error as Error).message}`)
    })
    console.log(`✔ ${says}: ${saw}`)
  }
}

process.exitCode = await main().catch((error: unknown) => {
  console.error((error as Error).message)
  return 1
})
