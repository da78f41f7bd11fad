import { parseCron } from './cron.ts'
import { nextFires } from './fires.ts'

/** When the agent's schedule fires next; null if it has none, or one from before expressions and zones were checked. */
export function nextFireOf({ cron, timeZone }: { cron: string | null; timeZone: string | null }, now: Date) {
  if (cron === null || timeZone === null) return null
  try {
    return nextFires(parseCron(cron), timeZone, now, 1)[0] ?? null
  } catch {
    return null
  }
}
