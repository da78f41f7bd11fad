import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startAva, writeBundle, type TestGround } from '../../bin/local/test/test-ground.ts'
import { onServer } from '../helpers/database.ts'
import { copyProject, withPlanted } from './copy.ts'
import type { Fault } from './fault.ts'
import { plant, type Planted } from './plant.ts'
import { judge, readResults, type TestResult, type Verdict } from './results.ts'

const run = promisify(execFile)

/** A fault is given up after so long: nobody would run a test that takes longer. */
const longestMs = 60_000

export interface Finding {
  fault: Fault
  file: string
  seconds: number
  /** `late`: the tests were cut off before one had failed. */
  verdict: Verdict | { kind: 'late' }
}

/** A copy of the project in which faults are planted, one after the other. */
export type ProjectCopy = Awaited<ReturnType<typeof openCopy>>

/** Makes a copy, and a Postgres user of its own: databases that tests leave behind when cut off are found by their owner. */
export async function openCopy({ folder: ground, record, env: given }: TestGround, name: string) {
  const folder = join(ground, name)
  copyProject(folder)
  const admin = given['SWITCHYARD_TEST_POSTGRES'] ?? ''
  await onServer(admin, (client) => client.query(`create role ${name} superuser login password 'test'`))
  const own = Object.assign(new URL(admin), { username: name, password: 'test' }).href
  // Compiled code is kept by its path, and is of no use once the copy is gone.
  const env = { ...given, SWITCHYARD_TEST_POSTGRES: own, NODE_COMPILE_CACHE: join(ground, 'compiled') }
  const start = (args: string[], environment = env) =>
    startAva({ record, env: environment }, args, { root: folder, quiet: true })

  /** The bundle and the migrated database are made once for all tests, so they are made anew with a fault in them. */
  const environmentFor = async ({ file }: Planted) => {
    if (file.startsWith('workflows/'))
      return { ...env, SWITCHYARD_TEST_BUNDLE: await writeBundle(join(ground, `${name}.js`), folder) }
    if (file.startsWith('migrations/')) return { ...env, SWITCHYARD_TEST_TEMPLATE: await migrated() }
    return env
  }

  /** The name of a database with the copy's schema. It is dropped like those of tests. */
  async function migrated(): Promise<string> {
    const template = `${name}_template`
    await onServer(own, (client) => client.query(`create database ${template}`))
    const url = Object.assign(new URL(own), { pathname: `/${template}` }).href
    await run(process.execPath, ['bin/migrate.ts'], { cwd: folder, env: { ...env, DATABASE_URL: url } })
    return template
  }

  async function runTests(
    { tests }: Fault,
    planted: Planted,
    passing: ReadonlySet<string>,
  ): Promise<Finding['verdict']> {
    const ava = start(tests, await environmentFor(planted))
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
    /** The results of tests without any fault. */
    async unedited(tests: string[]): Promise<TestResult[]> {
      const ava = start(tests)
      const results = await readResults(ava.output)
      await ava.ended
      return results
    },

    /** Plants the fault, runs its tests until one notices, and takes it out again. Throws if it cannot be planted. */
    async examine(fault: Fault, passing: ReadonlySet<string>): Promise<Finding> {
      const began = performance.now()
      const planted = await plant(fault, folder)
      const verdict = await withPlanted(folder, planted, () => runTests(fault, planted, passing))
      return { fault, file: planted.file, seconds: (performance.now() - began) / 1000, verdict }
    },
  }
}

async function dropDatabases(server: string, owner: string): Promise<void> {
  await onServer(server, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where datdba = $1::regrole',
      [owner],
    )
    for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`)
  })
}
