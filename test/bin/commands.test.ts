import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { execa } from '../../bin/execa.ts'
import { ownEnvironment } from '../helpers/servers.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }

const run = (script: string, ...args: string[]) =>
  execa(process.execPath, [`bin/${script}.ts`, ...args], {
    cwd: root,
    env: ownEnvironment(),
    extendEnv: false,
    reject: false,
  })

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  '.ci/run',
  '.env.example',
  ...['docs', 'examples', 'src', 'api', 'bin', 'bench', 'conformance', 'check-site', 'clients'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.(md|ts|json)$/.test(path) && !path.includes('node_modules'))
      .map((path) => join(folder, path)),
  ),
]

/** Every `npm run a` and `npm run a -- b` that anybody is told to type. */
const told = pages.flatMap((page) =>
  [...read(page).matchAll(/npm run (?:-s )?([\w:-]*\w)(?: -- ([a-z][\w-]*))?/g)].map(
    ([command, script = '', name]) => ({
      page,
      command,
      script,
      name,
    }),
  ),
)

test('every npm script that a page, a comment or a sentence of a program names is there', (t) => {
  t.true(told.length > 50)
  for (const { page, command, script } of told) t.true(script in scripts, `${page}: ${command}`)
})

for (const script of ['admin', 'bench', 'check', 'long']) {
  test(`npm run ${script} lists its names, refuses others, and has all that anybody is told to type`, async (t) => {
    const help = await run(script, '--help')
    t.deepEqual([help.exitCode, help.stderr], [0, ''])
    const names = [...help.stdout.matchAll(/^ {2}([\w-]+)/gm)].map(([, name]) => name)
    t.true(names.length > 3)
    for (const { page, command, name } of told.filter((one) => one.script === script))
      t.true(name === undefined || names.includes(name), `${page}: ${command}`)
    const wrong = await run(script, 'nonsense')
    t.deepEqual([wrong.exitCode, wrong.stdout], [2, ''])
    t.is(wrong.stderr, `npm run ${script} does not know "nonsense".\n\n${help.stdout}`)
    if (script !== 'admin') return
    const unnamed = await run(script)
    t.deepEqual([unnamed.exitCode, unnamed.stdout, unnamed.stderr], [2, '', help.stdout])
  })
}
