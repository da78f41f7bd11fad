import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { ownEnvironment } from '../helpers/servers.ts'
import { readProgress } from './progress.ts'
import { groupFolder, writeGroups } from './group-files.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const passing = `test('it holds', (t) => t.pass())`

/**
 * Runs these files with ava in one process. Returns its exit code, its output, and the tests in progress at its end.
 */
async function share(files: Record<string, string>) {
  const folder = groupFolder(root)
  const paths = Object.keys(files).map((name) => relative(root, join(folder, `${name}.shared.ts`)))
  const [group = ''] = writeGroups(root, [paths])
  for (const [name, code] of Object.entries(files)) {
    await writeFile(join(folder, `${name}.shared.ts`), `import test from 'ava'\n${code}\n`)
  }
  const log = join(folder, 'log')
  const env = { ...ownEnvironment(), SWITCHYARD_TEST_PROGRESS: log }
  const ava = join(root, 'node_modules/ava/entrypoints/cli.js')
  try {
    return await new Promise<{ code: unknown; output: string; left: string[] }>((resolve) => {
      execFile(process.execPath, [ava, '--tap', group], { cwd: root, env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, output: stdout + stderr, left: readProgress(log).left }),
      )
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

// Serial, because they are written to one folder.
for (const [what, wrong, said] of [
  ['declares no test', '', /has no test/],
  ['leaves out the tests of others', passing.replace('test', "test['only']"), /test\.only is for a file/],
] as const)
  test.serial(`a file that shares its process and ${what} fails the run`, async (t) => {
    const { code, output } = await share({ other: passing, wrong })
    t.is(code, 1)
    t.regex(output, said)
  })

test.serial('tests are named by their files, and those that a lost process takes with it are known', async (t) => {
  const { code, left } = await share({ other: passing, wrong: `test.serial('it is lost', () => process.exit(0))` })
  t.is(code, 1)
  t.deepEqual(
    left.map((name) => name.split(' › ').slice(-2)),
    [['wrong.shared.ts', 'it is lost']],
  )
})

test.serial('a rejection that nobody handles is reported, even if its error arose inside Node', async (t) => {
  const leaving = `test('it leaves a fetch', async (t) => {
    void fetch('http://127.0.0.1:1/')
    await new Promise((resolve) => setTimeout(resolve, 500))
    t.pass()
  })`
  const { code, output } = await share({ leaving, other: passing })
  t.is(code, 1)
  t.regex(output, /^not ok \d+ - TypeError: fetch failed$/m)
  t.regex(output, /^# pass 2$/m)
})

const noting = `
  const note = (what) => process.stdout.write('# noted ' + what + '\\n')
  const noted = (name) => async (t) => {
    note(name + ' begins')
    await new Promise((resolve) => setTimeout(resolve, 20))
    t.teardown(() => note(name + ' ends'))
    t.pass()
  }`

test.serial('a file with a serial test runs one by one, and what a file shares goes with its last test', async (t) => {
  const { code, output } = await share({
    serial: `${noting}\ntest('one', noted('one'))\ntest.serial('two', noted('two'))\ntest('three', noted('three'))`,
    // A test that lacks a program is listed as skipped, even if it is the only one of its file.
    lacking: `test['skip']('it needs a program', () => process.exit(1))`,
    cleaning: `${noting}\ntest.after.always(() => note('down'))\ntest('four', noted('four'))`,
    long: `${noting}\ntest('it waits', (t) => new Promise((resolve) => setTimeout(resolve, 500)).then(noted('it').bind(undefined, t)))`,
  })
  t.is(code, 0)
  t.regex(output, /^ok \d+ - .*lacking\.shared\.ts › it needs a program # SKIP$/m)
  const notes = [...output.matchAll(/# noted (.*)$/gm)].map(([, note = '']) => note)
  const ofSerial = notes.filter((note) => /^(one|two|three)/.test(note))
  t.deepEqual(
    ofSerial,
    ['one', 'two', 'three'].flatMap((name) => [`${name} begins`, `${name} ends`]),
  )
  t.deepEqual(
    notes.filter((note) => /^(four|down|it)/.test(note)),
    ['four begins', 'four ends', 'down', 'it begins', 'it ends'],
  )
})
