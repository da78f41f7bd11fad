import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { testWith } from '../../../helpers/programs.ts'
import { ownFolder } from '../../../helpers/servers.ts'
import {
  addScripts,
  changeByte,
  findWith,
  makeWheel,
  making,
  pathWithPython,
  program,
  sha256,
  version,
} from '../../../helpers/temporal-wheels.ts'

const withPip = testWith('pip')

/** A start has taken the program from a wheel. */
async function keptFromWheel() {
  const { index, hashes } = makeWheel()
  const env = { PATH: pathWithPython(), PIP_FIND_LINKS: index, XDG_CACHE_HOME: ownFolder() }
  const folder = join(env.XDG_CACHE_HOME, 'switchyard', `temporal-${version}`)
  const first = await findWith(env, hashes)
  return { env, hashes, folder, kept: join(folder, 'temporal-wheel'), first }
}

// @promise temporal-program
withPip('a program from a wheel is kept, and if its bytes change it is not executed but fetched again', async (t) => {
  const { env, hashes, kept, first } = await keptFromWheel()
  t.is(first.found, kept)
  t.deepEqual(await findWith({ ...env, PATH: ownFolder() }, hashes), { found: kept, said: '' })
  const executed = join(ownFolder(), 'executed')
  const other = `#!/bin/sh\n: > ${executed}\n${program}`
  writeFileSync(kept, other)
  const again = await findWith(env, hashes)
  t.is(again.found, kept)
  const refused = `its SHA-256 is ${sha256(other)}, but ${hashes.program} was expected.`
  t.true(again.said.startsWith(`The kept program from the wheel is refused: ${refused}\nDownloading`), again.said)
  t.is(readFileSync(kept, 'utf8'), program)
  t.false(existsSync(executed))
  changeByte(kept)
  const nothing = await findWith({ ...env, PATH: ownFolder() }, hashes)
  t.regex((nothing.found as { error: string }).error, /^There is no Temporal server to start/)
  t.false(existsSync(kept), 'it is removed also if there is no other')
})

// @promise temporal-program
withPip('with TEMPORAL_WHEEL=off a kept program from a wheel is not used, and one that Go built is', async (t) => {
  const { env, hashes, folder, kept } = await keptFromWheel()
  const off = { ...env, TEMPORAL_WHEEL: 'off', PATH: addScripts(ownFolder(), { go: making('-o', '') }) }
  const { found, said } = await findWith(off, hashes)
  t.is(found, join(folder, 'temporal'))
  t.regex(said, /Building/)
  t.notRegex(said, /PyPI/)
  t.true(existsSync(kept))
  t.deepEqual(await findWith(off, hashes), { found, said: '' })
})

test('a folder in which nothing can be kept is named, with the settings that help', async (t) => {
  const file = join(addScripts(ownFolder(), { file: '' }), 'file')
  const { found } = await findWith({ PATH: ownFolder(), XDG_CACHE_HOME: file })
  const { error } = found as { error: string }
  t.true(error.startsWith(`The Temporal server cannot be stored in ${file}/switchyard/`), error)
  t.regex(error, /Set XDG_CACHE_HOME to another folder, or set TEMPORAL_BINARY to the path of a program\.$/)
})
