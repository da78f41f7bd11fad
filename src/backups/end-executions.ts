import type { Clock } from '../clock.ts'
import type { Temporal } from '../temporal/temporal.ts'

/**
 * Terminates what Temporal still executes of the time that a restore has lost. Nothing depends on it: the record
 * refuses their writes, and starts the rest again. Runs go first, because the end of a queue cancels its run. Returns a
 * sentence about it. While workers poll, they may belong to a living platform, so nothing is terminated.
 */
export async function endExecutions({
  temporal,
  clock,
}: {
  temporal: Pick<Temporal, 'inspection' | 'isReachable'>
  clock: Clock
}): Promise<string> {
  if (!(await temporal.isReachable())) return away
  const { inspection } = temporal
  if ((await inspection.polls()).isPolled) return polled
  const listed = await listAll(temporal, clock.now())
  const [runs, queues] = [
    listed.filter(({ type }) => type === 'agentRun'),
    listed.filter(({ type }) => type !== 'agentRun'),
  ]
  for (const { id, executionId } of runs) await inspection.terminateRun(id, { executionId }, reason)
  for (const { id, executionId } of queues) await inspection.terminateQueue(id, { executionId }, reason)
  return `Terminated ${listed.length} workflows in Temporal.`
}

async function listAll({ inspection }: Pick<Temporal, 'inspection'>, before: Date) {
  const all = []
  let page = await inspection.listOpen(before, null)
  all.push(...page.listed)
  while (page.next) {
    page = await inspection.listOpen(before, page.next)
    all.push(...page.listed)
  }
  return all
}

const reason = 'the database was restored'

const away =
  'Temporal cannot be reached, so its workflows of the lost time were not terminated. They can write nothing, and are ended once it can be reached.'

const polled =
  'A worker has polled Temporal within the last 70 seconds, so no workflows were terminated. Those of the lost time can write nothing, and are ended by the platform.'
