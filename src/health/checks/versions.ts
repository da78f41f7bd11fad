import type { Workers } from '../../temporal/workers.ts'
import { fine, warning, type Check } from '../finding.ts'
import { version } from '../../version.ts'

/** How long different versions may work side by side before somebody should know, in minutes: a rolling restart. */
const rollingMinutes = 60

/** Whether all present workers have the version of this code. */
export const versions: Check<{ workers: Pick<Workers, 'list'>; clock: { now(): Date } }> = {
  name: 'versions',
  needs: ['schema'],
  async look({ workers, clock }) {
    const oldest = clock.now().getTime() - rollingMinutes * 60_000
    const present = (await workers.list()).filter((one) => one.present)
    const others = present.filter((one) => one.version !== version && one.startedAt.getTime() < oldest)
    if (others.length === 0) return fine(`All workers run version ${version}, or have just started.`)
    const found = [...new Set(others.map((one) => one.version))].join(', ')
    return warning(
      `${others.length} of ${present.length} workers run version ${found}, and this is ${version}.`,
      'Restart them with this version. Two versions may work side by side only during an upgrade.',
    )
  },
}
