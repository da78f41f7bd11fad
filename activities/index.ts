import type { Services } from '../src/services.ts'
import { runActivities } from './runs.ts'

/** Every activity, by name. */
export const createActivities = (services: Pick<Services, 'runs' | 'logger'>) => ({ ...runActivities(services) })

export type Activities = ReturnType<typeof createActivities>
