import type { Services } from '../src/services.ts'
import { runActivities } from './runs.ts'
import { scheduleActivities } from './schedules.ts'

/** Every activity, by name. */
export const createActivities = (services: Pick<Services, 'runs' | 'fires' | 'logger' | 'config'>) => ({
  ...runActivities(services),
  ...scheduleActivities(services),
})

export type Activities = ReturnType<typeof createActivities>
