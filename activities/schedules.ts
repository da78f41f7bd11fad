import type { FireOutcome } from '../workflows/messages.ts'
import type { Services } from '../src/services.ts'
import { perform } from './perform.ts'

/** A fire as a workflow knows it. `nominalAt` is ISO 8601 in UTC. */
interface Fired {
  agentId: string
  generation: number
  nominalAt: string
  requestId: string
}

/** Activities on schedules. */
export function scheduleActivities({ fires, logger }: Pick<Services, 'fires' | 'logger'>) {
  return {
    /** Records a fire, with its run if it starts one. A repeated call returns the recorded outcome. */
    recordFire: perform<Fired, FireOutcome>(logger, ({ nominalAt, ...fired }) =>
      fires.recordFire({ ...fired, nominalAt: new Date(nominalAt) }),
    ),
  }
}
