import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { findTemporal } from '../../../../bin/local/temporal/binary.ts'
import { probe } from '../../../../bin/local/temporal/probe.ts'
import { temporalVersion } from '../../../../bin/local/temporal/wheels.ts'
import { readLocalConfig } from '../../../../src/config/local-config.ts'
import { ownFolder, ownServerOptions } from '../../../helpers/servers.ts'
import { addScripts } from '../../../helpers/temporal-wheels.ts'

/** A folder with a program of this name that prints this version line. */
function folderWith(name: string, prints: string): string {
  const folder = ownFolder()
  writeFileSync(join(folder, name), `#!/bin/sh\necho '${prints}'\n`, { mode: 0o755 })
  return folder
}

const recent = 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)'
const old = 'temporal version 1.4.0 (Server 1.28.0, UI 2.39.0)'
const find = (env: Record<string, string>, said: string[] = []) =>
  findTemporal(readLocalConfig(env), ownServerOptions().record, (text) => said.push(text))

test('a named Temporal program is used, and one that is too old is refused by name; one on the PATH is next', async (t) => {
  const TEMPORAL_BINARY = join(folderWith('one', recent), 'one')
  t.is(await find({ TEMPORAL_BINARY }), TEMPORAL_BINARY)
  const other = join(folderWith('two', old), 'two')
  await t.throwsAsync(find({ TEMPORAL_BINARY: other }), { message: new RegExp(`TEMPORAL_BINARY names ${other}`) })
  const PATH = folderWith('temporal', recent)
  t.is(await find({ PATH, XDG_CACHE_HOME: ownFolder() }), join(PATH, 'temporal'))
})

test('without any way to a Temporal program a start says what to do, within a minute', async (t) => {
  const said: string[] = []
  const env = {
    // An old one, and neither Python nor Go; the download meets a proxy at which nobody listens.
    PATH: folderWith('temporal', old),
    XDG_CACHE_HOME: ownFolder(),
    HTTPS_PROXY: 'http://127.0.0.1:9',
  }
  await t.throwsAsync(find(env, said), { message: /^There is no Temporal server to start\. Put the Temporal CLI/ })
  t.regex(
    said.join('\n'),
    /is older than Temporal CLI 1\.5[^]*could not be downloaded[^]*pip is not installed[^]*uv is not installed[^]*Go is not installed/,
  )
})

test('a program that hangs counts as missing', async (t) => {
  const folder = addScripts(ownFolder(), { hanging: '/bin/sleep 600' })
  t.is(await probe(join(folder, 'hanging'), ['--version'], {}, 0.2), undefined)
})

test('the version that is built is the version that is downloaded', (t) => {
  const module = readFileSync(join(import.meta.dirname, '../../../../tools/temporal/go.mod'), 'utf8')
  t.true(module.includes(`github.com/temporalio/cli v${temporalVersion}`))
})
