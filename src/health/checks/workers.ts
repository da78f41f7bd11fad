import type { Workers } from '../../temporal/workers.ts'
import { failing, fine, type Check } from '../finding.ts'

/** Whether workers poll. The check of processes names those that have fallen silent. */
export const workers: Check<{
  workers: Pick<Workers, 'list'>
  config: { temporal: { taskQueue: string } }
}> = {
  name: 'workers',
  needs: ['schema'],
  async look({ workers: record, config }) {
    const { taskQueue } = config.temporal
    const present = (await record.list()).filter((one) => one.taskQueue === taskQueue && one.present)
    if (present.length > 0) return fine(present.length === 1 ? 'One worker polls.' : `${present.length} workers poll.`)
    return failing(
      `No worker polls the task queue "${taskQueue}", so no run starts.`,
      'Start a worker with this TASK_QUEUE (npm run worker), or restart the one that is frozen. Accepted work waits meanwhile.',
    )
  },
}
