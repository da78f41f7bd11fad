import type { Workers } from '../../temporal/workers.ts'
import { failing, fine, type Check } from '../finding.ts'

/** How long a silent worker is news, in minutes: one that was killed and replaced stays on record for a day. */
const newsMinutes = 10

/** Whether workers poll, and whether one has fallen silent without signing off: it is frozen, cut off or was killed. */
export const workers: Check<{
  workers: Pick<Workers, 'list'>
  config: { temporal: { taskQueue: string } }
  clock: { now(): Date }
}> = {
  name: 'workers',
  needs: ['schema'],
  async look({ workers: record, config, clock }) {
    const { taskQueue } = config.temporal
    const ours = (await record.list()).filter((one) => one.taskQueue === taskQueue)
    const present = ours.filter((one) => one.present)
    const silentFor = ({ seenAt }: { seenAt: Date }) => (clock.now().getTime() - seenAt.getTime()) / 1000
    const silent = ours.filter((one) => one.polling && !one.present && silentFor(one) < newsMinutes * 60)
    const list = silent.map((one) => `${one.id} (for ${Math.round(silentFor(one))} seconds)`).join(', ')
    const frozen = `Silent without having signed off: ${list}. They are frozen, cut off from Postgres, or were killed.`
    if (silent.length > 0)
      return failing(
        present.length > 0 ? frozen : `No worker polls, so no run starts. ${frozen}`,
        'Restart them. Their runs continue on other workers.',
      )
    if (present.length > 0) return fine(`${present.length} workers poll.`)
    return failing(
      `No worker polls the task queue "${taskQueue}", so no run starts.`,
      'Start a worker with this TASK_QUEUE: npm run worker. Accepted work waits meanwhile.',
    )
  },
}
