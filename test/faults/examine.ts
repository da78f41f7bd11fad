import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startAva, writeBundle, type TestGround } from '../../bin/local/test/test-ground.ts'
import { onServer } from '../helpers/database.ts'
import { copyProject, withPlanted } from './copy.ts'
import type { Fault } from './fault.ts'
import { judge, type Verdict } from './results.ts'

/** A fault is given up after so long: a test that needs longer is none that people would run. */
const longestMs = 60_000

export interface Finding {
  fault: Fault
  seconds: number
  /** `late`: the tests were cut off before one had failed. */
  verdict: Verdict | { kind: 'late' }
}

/** A copy of the project in which faults are planted, one after the other. */
export type ProjectCopy = Awaited<ReturnType<typeof openCopy>>

/** Makes a copy, and a Postgres user of its own: what tests leave behind when they are cut off is known by its owner. */
export async function openCopy(ground: TestGround, root: string, name: string) {
  const folder = join(ground.folder, name)
  copyProject(root, folder)
  const admin = given(ground, 'POSTGRES')
  await onServer(admin, (client) => client.query(`create role ${name} superuser login password 'test'`))
  const own = Object.assign(new URL(admin), { username: name, password: 'test' }).href
  // Compiled code is kept by its path, and that of a copy is of no use once the copy is gone.
  const compiled = join(ground.folder, 'compiled')
  const env: Record<string, string> = { ...ground.env, SWITCHYARD_TEST_POSTGRES: own, NODE_COMPILE_CACHE: compiled }

  /** What is made once for all tests is made anew for a fault in it. */
  async function environmentFor({ file }: Fault): Promise<Record<string, string>> {
    if (file.startsWith('workflows/')) {
      return { ...env, SWITCHYARD_TEST_BUNDLE: await writeBundle(join(ground.folder, `${name}.js`), folder) }
    }
    if (!file.startsWith('migrations/')) return env
    const template = `${name}_template`
    await onServer(own, (client) => client.query(`create database ${template}`))
    const url = Object.assign(new URL(own), { pathname: `/${template}` }).href
    const migrate = [join(folder, 'bin/migrate.ts')]
    await promisify(execFile)(process.execPath, migrate, { cwd: folder, env: { ...env, DATABASE_URL: url } })
    return { ...env, SWITCHYARD_TEST_TEMPLATE: template }
  }

  async function run(fault: Fault, passing: ReadonlySet<string>): Promise<Finding['verdict']> {
    const match = fault.match === undefined ? [] : ['--match', fault.match]
    const planted = { record: ground.record, env: await environmentFor(fault) }
    const ava = startAva(planted, [...fault.tests, ...match], { root: folder, quiet: true })
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      ava.kill()
    }, longestMs)
    try {
      const verdict = await judge(ava.output, passing)
      return isLate && verdict.kind !== 'noticed' ? { kind: 'late' } : verdict
    } finally {
      clearTimeout(timer)
      ava.kill()
      await ava.ended
      await dropDatabases(own, name)
    }
  }

  return {
    folder,
    env,

    /** Plants the fault, runs its tests until one notices, and takes it out again. */
    async examine(fault: Fault, passing: ReadonlySet<string>): Promise<Finding> {
      const began = performance.now()
      const verdict = await withPlanted(folder, fault, () => run(fault, passing))
      return { fault, seconds: (performance.now() - began) / 1000, verdict }
    },
  }
}

const given = ({ env }: TestGround, name: string): string => env[`SWITCHYARD_TEST_${name}`] ?? ''

async function dropDatabases(server: string, owner: string): Promise<void> {
  await onServer(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where datdba = $1::regrole',
      [owner],
    )
    for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`)
  })
}
