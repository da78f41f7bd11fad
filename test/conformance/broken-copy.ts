import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { createInterface } from 'node:readline'
import { freePorts } from '../../bin/local/ports.ts'
import { endRecorded } from '../../bin/local/process-record.ts'
import type { TestGround } from '../../bin/local/test/test-ground.ts'
import { copyProject, withPlanted } from '../faults/copy.ts'
import { plant, root } from '../faults/plant.ts'
import { onServer } from '../helpers/database.ts'
import type { BrokenPlatform } from './faults.ts'

/** A row as `npm run conformance -- --json` tells of it. */
interface Row {
  id: string
  verdict: string
  evidence: string
}

/** A broken platform, or one without any fault. */
export type Tried = BrokenPlatform | Pick<BrokenPlatform, 'id' | 'rows'>

export interface Finding {
  platform: Tried
  seconds: number
  exitCode: number | null
  /** The rows that were to fail, as they were judged. */
  rows: Row[]
}

/** The last line of a start, when everything is ready. */
const readyLine = 'Ctrl-C stops everything.'

type Wanted = Pick<BrokenPlatform, 'rows' | 'evidence'>
type Told = Pick<Finding, 'exitCode' | 'rows'>

/** Only if the exit code says so and every row that was to fail has failed, for its reason, was the fault found. */
export function isFound({ rows: wanted, evidence = '' }: Wanted, { exitCode, rows }: Told): boolean {
  const hasFailed = (id: string): boolean => {
    const row = rows.find((one) => one.id === id)
    return row?.verdict === 'failed' && row.evidence.includes(evidence)
  }
  return exitCode === 1 && wanted.every(hasFailed)
}

/** A copy of the project that is started with one fault after the other; the servers below are those of the ground. */
export function openBrokenCopy({ folder: ground, env }: TestGround, name: string) {
  const folder = join(ground, name)
  copyProject(folder)

  async function settings() {
    const [api, dead, ...others] = await freePorts(14)
    const id = `conformance_${randomBytes(6).toString('hex')}`
    const server = env['SWITCHYARD_TEST_POSTGRES'] ?? ''
    await onServer(server, (client) => client.query(`create database ${id}`))
    const data = join(ground, id)
    mkdirSync(data)
    chmodSync(data, 0o711)
    return {
      data,
      drop: () => onServer(server, (client) => client.query(`drop database ${id} with (force)`)),
      environment: {
        ...env,
        DATA_DIR: data,
        DATABASE_URL: Object.assign(new URL(server), { pathname: `/${id}` }).href,
        TEMPORAL_ADDRESS: env['SWITCHYARD_TEST_TEMPORAL'] ?? '',
        TASK_QUEUE: id,
        PORT: String(api),
        DEAD_SITE_PORT: String(dead),
        SITE_PORTS: others.slice(0, 4).join(','),
        CONFORMANCE_PORTS: others.slice(4).join(','),
      },
    }
  }

  /** `npm start` of the copy. Throws with its output if it does not get ready. */
  async function start(environment: Record<string, string>) {
    const child = spawn(process.execPath, ['bin/start.ts'], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const lines: string[] = []
    const ended = once(child, 'close')
    const isReady = await new Promise<boolean>((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on('line', (line) => lines.push(line) && line === readyLine && resolve(true))
      void ended.then(() => resolve(false))
    })
    if (!isReady) throw new Error(`It does not start:\n${lines.slice(-10).join('\n')}`)
    return async () => {
      child.kill('SIGINT')
      await ended
    }
  }

  /** The check of the whole project, and not of the copy. */
  async function check(environment: Record<string, string>, rows: readonly string[]) {
    const args = ['bin/conformance.ts', '--json', '--only', rows.join(',')]
    const child = spawn(process.execPath, args, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'ignore'] })
    const ended = once(child, 'close') as Promise<[number | null]>
    const written = await textOf(child.stdout)
    const [exitCode] = await ended
    return { exitCode, rows: JSON.parse(written || '[]') as Row[] }
  }

  async function startAndCheck({ rows }: Tried): Promise<Told> {
    const { environment, data, drop } = await settings()
    try {
      const stop = await start(environment)
      try {
        return await check(environment, rows)
      } finally {
        await stop()
      }
    } finally {
      await endRecorded(join(data, 'processes'))
      rmSync(data, { recursive: true, force: true })
      await drop()
    }
  }

  return {
    /** Starts the copy with the fault, if it has one, checks the rows, and stops it. */
    async examine(platform: Tried): Promise<Finding> {
      const began = performance.now()
      const work = () => startAndCheck(platform)
      const found = 'edit' in platform ? await withPlanted(folder, await plant(platform, folder), work) : await work()
      return { platform, ...found, seconds: (performance.now() - began) / 1000 }
    },
  }
}
