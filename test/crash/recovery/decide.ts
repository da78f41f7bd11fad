import * as agents from '../../../api/agents.ts'
import { cancelRuns } from '../../../api/run-endings.ts'
import type { LoggedRequest } from '../../../examples/sites/request-log.ts'
import { call } from '../../helpers/client.ts'
import type { Person } from '../../helpers/people.ts'
import { runsOf } from '../../helpers/runs.ts'
import type { Worker } from './work.ts'

/** The calls that came to the site after the backup, by their runs: a site's log has the ids of calls. */
export function lostCalls(requests: LoggedRequest[], asOf: Date): Map<string, string[]> {
  const keys = requests.filter(({ at }) => new Date(at) > asOf).map(({ idempotencyKey }) => String(idempotencyKey))
  return Map.groupBy(keys, (key) => key.split(':')[0] ?? '')
}

/**
 * What the guide asks the owner of a paused agent to do (docs/operate/back-up.md): check at the site what the runs have
 * done, cancel those that must not be repeated, and resume the agent. Returns how many runs were cancelled.
 */
export async function decide({ owner, agent }: Worker, at: string, acted: Map<string, unknown>): Promise<number> {
  const someone: Person = { ...owner, url: at }
  const unfinished = (await runsOf(someone, agent)).filter(({ endedAt }) => endedAt === null)
  const runIds = unfinished.map(({ id }) => id).filter((id) => acted.has(id))
  if (runIds.length > 0) await call(someone, cancelRuns, { body: { runIds } }).then(({ body }) => body)
  await call(someone, agents.resumeAgent, { params: { agentId: agent.id } }).then(({ body }) => body)
  return runIds.length
}
