import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPlain } from './drain/plain.ts'
import { openQueue } from './drain/queue.ts'
import { median } from './shared/median.ts'
import { openBenchServers } from './shared/servers.ts'

/**
 * `npm run bench -- drain`: how many runs of one agent are carried out a second, one after the other, each of one step of
 * the demo model, against how many empty child workflows of the same shape the same Temporal carries out, one after the
 * other, in workflow code that records nothing. Both are measured in turn, because a machine varies from minute to
 * minute; the result is the median of the rounds' ratios. All processes share this machine.
 */
const rounds = 3
const count = 100

const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
// If we are root, Postgres runs as another user, which must get through.
chmodSync(folder, 0o711)
const servers = await openBenchServers(folder, true)
try {
  const queue = await openQueue(servers)
  const plain = await openPlain(servers)
  await queue.measure(10)
  await plain.measure(10)
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const carriedOut = await queue.measure(count)
    const empty = await plain.measure(count)
    ratios.push(carriedOut / empty)
    console.log(
      `round ${round}: ${carriedOut.toFixed(1)} runs/s, ${empty.toFixed(1)} empty child workflows/s, ` +
        `ratio ${(carriedOut / empty).toFixed(2)}`,
    )
  }
  console.log(`median ratio ${median(ratios).toFixed(2)}`)
  await plain.close()
} finally {
  await servers.close()
  rmSync(folder, { recursive: true, force: true })
}
