import { nextFires } from './cron/fire-times.ts'
import { planOf, type ScheduledAgent } from './plan.ts'

/** The agent's next fire after an instant; null if the plan cannot be parsed or has no fire within years. */
export function nextFireOf(agent: ScheduledAgent, after: Date): Date | null {
  const plan = planOf(agent)
  return (plan && nextFires(plan.cron, plan.timeZone, after, 1)[0]) ?? null
}
