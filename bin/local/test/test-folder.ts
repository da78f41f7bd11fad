import { chmodSync, existsSync, mkdtempSync, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const enough = 3 * 1024 ** 3

/**
 * A new, empty folder for one run of the tests, which the caller removes: in memory if there is plenty, else on disk.
 * Nearly every test makes a database of its own, which is five hundred new files; on some disks that takes longer than
 * the test. Other users may pass: Postgres runs as one when we are root.
 */
export function makeTestFolder(): string {
  const folder = mkdtempSync(join(isRoomy() ? memory : tmpdir(), 'switchyard-test-'))
  chmodSync(folder, 0o711)
  return folder
}

/** Some systems let nothing run from there; tests put programs into their folder. */
function isRoomy(): boolean {
  if (!existsSync(memory) || !existsSync('/proc/mounts')) return false
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const [, , type, options = ''] = mounts.map((line) => line.split(' ')).findLast(([, at]) => at === memory) ?? []
  if (type !== 'tmpfs' || /\b(noexec|ro)\b/.test(options)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= enough
}
