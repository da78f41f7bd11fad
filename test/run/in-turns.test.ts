import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { ownEnvironment } from '../helpers/servers.ts'
import { togetherFolder, writeTogether } from './together.ts'
import { leftUnderWay } from './under-way.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const passing = `test('it holds', (t) => t.pass())`

/** The output and exit code of ava for a process that these files share. */
async function share(files: Record<string, string>, log: string) {
  const folder = togetherFolder(root)
  const paths = Object.keys(files).map((name) => relative(root, join(folder, `${name}.shared.ts`)))
  const [group = ''] = writeTogether(root, new Map([['shared-1', paths]]))
  for (const [name, code] of Object.entries(files)) {
    await writeFile(join(folder, `${name}.shared.ts`), `import test from 'ava'\n${code}\n`)
  }
  const env = { ...ownEnvironment(), SWITCHYARD_TEST_UNDER_WAY: log, SWITCHYARD_TEST_DURATIONS: undefined }
  const ava = join(root, 'node_modules/ava/entrypoints/cli.js')
  return new Promise<{ code: unknown; output: string }>((resolve) => {
    execFile(process.execPath, [ava, '--tap', group], { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    )
  })
}

// Serial, because they are written into one folder.
for (const [what, wrong, said] of [
  ['declares no test', '', /has no test/],
  ['leaves out the tests of others', passing.replace('test', "test['only']"), /test\.only is for a file/],
  [
    'begins something for the tests of others',
    `test.beforeEach(() => {})\n${passing}`,
    /test\.beforeEach is for a file/,
  ],
] as const)
  test.serial(`a file that shares its process and ${what} fails the run`, async (t) => {
    const folder = togetherFolder(root)
    t.teardown(() => rm(folder, { recursive: true, force: true }))
    const { code, output } = await share({ other: passing, wrong }, join(folder, 'log'))
    t.is(code, 1)
    t.regex(output, said)
  })

test.serial('tests are named by their files, and those that a lost process takes with it are known', async (t) => {
  const folder = togetherFolder(root)
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const log = join(folder, 'log')
  const lost = `test.serial('it is lost', () => process.exit(0))`
  t.is((await share({ other: passing, wrong: lost }, log)).code, 1)
  t.deepEqual(
    leftUnderWay(log).map((name) => name.split(' › ').slice(-2)),
    [['wrong.shared.ts', 'it is lost']],
  )
})

test.serial('a test that lacks a program is listed as skipped, also if it is the only one of its file', async (t) => {
  const folder = togetherFolder(root)
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const lacking = `test['skip']('it needs a program', () => process.exit(1))`
  const { code, output } = await share({ other: passing, lacking }, join(folder, 'log'))
  t.is(code, 0)
  t.regex(output, /^ok \d+ - .*lacking\.shared\.ts › it needs a program # SKIP$/m)
  t.regex(output, /^ok \d+ - .*it holds$/m)
})
