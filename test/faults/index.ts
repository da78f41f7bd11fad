import type { Fault } from './fault.ts'
import { runs } from './runs.ts'

/** Every fault that `npm run faults` plants. */
export const faults: Fault[] = [...runs]
