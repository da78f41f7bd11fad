import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { durationsLog } from '../helpers/servers.ts'
import { noteDuration } from './durations.ts'
import { isTogether } from './together.ts'

/** ava loads this into every test process before the tests. Files that share a process time themselves. */
process.once('exit', () => {
  const file = relative(process.cwd(), fileURLToPath(test.meta.file))
  if (!isTogether(file)) noteDuration(durationsLog(), { file, seconds: performance.now() / 1000 })
})
