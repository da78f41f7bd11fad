import { entries } from './entries.ts'
import type { Fault } from './fault.ts'
import { judged } from './judged.ts'
import { lateParties } from './late-parties.ts'
import { locks } from './locks.ts'
import { money } from './money.ts'
import { order } from './order.ts'
import { permissions } from './permissions.ts'
import { secrets } from './secrets.ts'
import { tenants } from './tenants.ts'

/** The faults that would hurt most. At most 80: one that comes takes the place of another. */
export const faults: Fault[] = [
  ...lateParties,
  ...locks,
  ...judged,
  ...order,
  ...entries,
  ...tenants,
  ...permissions,
  ...money,
  ...secrets,
]
