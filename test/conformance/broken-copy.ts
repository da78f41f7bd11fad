import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { createInterface } from 'node:readline'
import { freePorts } from '../../bin/local/ports.ts'
import { endRecorded } from '../../bin/local/process-record.ts'
import type { TestGround } from '../../bin/local/test/test-ground.ts'
import { copyProject } from '../faults/copy.ts'
import { onServer } from '../helpers/database.ts'
import { made, type BrokenPlatform } from './broken-platform.ts'

/** A row as `npm run conformance -- --json` tells of it. */
interface Row {
  id: string
  verdict: string
  evidence: string
}

export interface Finding {
  platform: BrokenPlatform
  seconds: number
  exitCode: number | null
  /** The rows that were to fail, as they were judged. */
  rows: Row[]
}

/** The last line of a start, when everything is ready. */
const readyLine = 'Ctrl-C stops everything.'

/** Only if the exit code says so and every row that was to fail has failed, for its reason, was the fault found. */
export function isFound({ exitCode, rows, platform }: Pick<Finding, 'exitCode' | 'rows' | 'platform'>): boolean {
  const hasFailed = (id: string): boolean => {
    const row = rows.find((one) => one.id === id)
    return row?.verdict === 'failed' && row.evidence.includes(platform.evidence?.[id] ?? '')
  }
  return exitCode === 1 && platform.rows.every(hasFailed)
}

/** A copy of the project that is started with one fault after the other; the servers below are those of the ground. */
export function openBrokenCopy({ folder: ground, env }: TestGround, root: string, name: string) {
  const folder = join(ground, name)
  copyProject(root, folder)

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

  return {
    /** Starts the copy with the fault, checks the rows, and stops it. Without a platform, it has no fault. */
    async examine(platform: BrokenPlatform): Promise<Finding> {
      const began = performance.now()
      const changed: { path: string; before: string }[] = []
      const { environment, data, drop } = await settings()
      try {
        for (const edit of platform.edits) {
          const { path, before, after } = made(folder, edit)
          changed.push({ path, before })
          writeFileSync(path, after)
        }
        const stop = await start(environment)
        try {
          return { platform, ...(await check(environment, platform.rows)), seconds: (performance.now() - began) / 1000 }
        } finally {
          await stop()
        }
      } finally {
        // Of several edits of one file, the first text is the whole one.
        for (const { path, before } of changed.toReversed()) writeFileSync(path, before)
        await endRecorded(join(data, 'processes'))
        rmSync(data, { recursive: true, force: true })
        await drop()
      }
    },
  }
}
