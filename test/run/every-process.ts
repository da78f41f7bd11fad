import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { durationsLog } from '../helpers/servers.ts'
import { noteDuration } from './durations.ts'

/** Loaded by ava into every process of tests, before the tests. */
process.once('exit', () => {
  const log = durationsLog()
  if (log === undefined) return
  const file = relative(process.cwd(), fileURLToPath(test.meta.file))
  const { user, system } = process.cpuUsage()
  noteDuration(log, { file, seconds: performance.now() / 1000, cpuSeconds: (user + system) / 1_000_000 })
})
