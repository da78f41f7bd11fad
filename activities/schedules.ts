import type { FireOutcome } from '../workflows/messages.ts'
import type { Services } from '../src/services.ts'
import { perform } from './perform.ts'

/** A fire as a workflow knows it; `nominalAt` is ISO 8601, UTC. */
interface Fired {
  agentId: string
  generation: number
  nominalAt: string
  requestId: string
}

/** What the workflows do to schedules. */
export function scheduleActivities({ fires, logger }: Pick<Services, 'fires' | 'logger'>) {
  return {
    /** Records a fire, with its run if it starts one; a repeated call answers from the record. */
    recordFire: perform<Fired, FireOutcome>(logger, ({ nominalAt, ...fired }) =>
      fires.recordFire({ ...fired, nominalAt: new Date(nominalAt) }),
    ),
  }
}
