import { chmodSync, existsSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const enough = 3 * 1024 ** 3

/**
 * A new folder for one test run, which the caller removes: in memory if there is plenty, otherwise on disk. Nearly
 * every test creates a database of five hundred files, which on some disks takes longer than the test. Other users may
 * pass through, because Postgres runs as another user if we are root.
 */
export function makeTestFolder(): string {
  const folder = mkdtempSync(join(isRoomy() ? memory : tmpdir(), 'switchyard-test-'))
  chmodSync(folder, 0o711)
  return folder
}

/** Some systems mount it noexec, but tests run programs from their folder. */
function isRoomy(): boolean {
  if (!existsSync(memory) || !existsSync('/proc/mounts')) return false
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const [, , type, options = ''] = mounts.map((line) => line.split(' ')).findLast(([, at]) => at === memory) ?? []
  if (type !== 'tmpfs' || /\b(noexec|ro)\b/.test(options)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= enough
}
