import { nextFires } from './cron/fire-times.ts'
import { planOf, type ScheduledAgent } from './plan.ts'

/** When the agent's schedule fires next after an instant; null if it has none that can be read, or none for years. */
export function nextFireOf(agent: ScheduledAgent, after: Date): Date | null {
  const plan = planOf(agent)
  return (plan && nextFires(plan.cron, plan.timeZone, after, 1)[0]) ?? null
}
