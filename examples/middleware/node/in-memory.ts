// A site with several processes does both in its database.
import { Refusal } from './refusal.ts'

const callsPerMinute = 60

/** Counts calls per token. */
export function createLimit() {
  const calls = new Map<string, number[]>()
  return (token: string): void => {
    const now = Date.now()
    const recent = (calls.get(token) ?? []).filter((at) => at > now - 60_000)
    calls.set(token, recent)
    const [oldest = now] = recent
    const seconds = Math.ceil((oldest + 60_000 - now) / 1000)
    if (recent.length >= callsPerMinute) {
      throw new Refusal(429, `Too many calls. Wait ${seconds} seconds.`, { 'Retry-After': String(seconds) })
    }
    recent.push(now)
  }
}

/**
 * Runs a call once per key and returns the same response to repeated requests, also while the first one still runs. Store
 * responses in your database for a day: in memory, a restart forgets them.
 */
export function createKeptResponses(capacity = 10_000) {
  const kept = new Map<string, { args: string; response: Promise<object> }>()
  return (key: string, args: object, run: () => object | Promise<object>): Promise<object> => {
    const before = kept.get(key)
    if (before && before.args !== JSON.stringify(args)) {
      throw new Refusal(422, 'This Idempotency-Key was used with other arguments. Send a new one.')
    }
    if (before) return before.response
    // JSON now, because the tool may change the object later.
    const response = (async () => JSON.parse(JSON.stringify(await run())) as object)()
    kept.set(key, { args: JSON.stringify(args), response })
    // A failure is not kept, so that the next attempt may succeed.
    response.catch(() => kept.delete(key))
    const [oldest = ''] = kept.keys()
    if (kept.size > capacity) kept.delete(oldest)
    return response
  }
}
