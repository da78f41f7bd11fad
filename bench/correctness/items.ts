import { setTimeout as delay } from 'node:timers/promises'

/** Where the items of an agent are delivered, and how the sender proves itself. */
export interface Inbox {
  agent: string
  url: string
  headers: Record<string, string>
  /** The body that makes the side carry out this item. */
  bodyOf: (number: number) => string
}

/** How long a request may take before the sender repeats it under the same key. */
const patienceMs = 5000

/**
 * Delivers the numbers from 1 to `count` to an agent, one after another and evenly over the time, each with its own
 * idempotency key and until it is accepted, as careful senders do. `offset` is the share of the first pause to wait,
 * so that agents do not work at the same moments. Returns how many requests had to be repeated.
 */
export async function deliverItems(inbox: Inbox, count: number, seconds: number, offset: number): Promise<number> {
  const began = performance.now()
  const pauseMs = (seconds * 1000) / count
  let repeats = 0
  for (let number = 1; number <= count; number += 1) {
    await delay(Math.max(0, began + (number - 1 + offset) * pauseMs - performance.now()))
    while (!(await isAccepted(inbox, number))) {
      repeats += 1
      await delay(100)
    }
  }
  return repeats
}

async function isAccepted({ url, headers, agent, bodyOf }: Inbox, number: number): Promise<boolean> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `${agent}-${number}`, ...headers },
      body: bodyOf(number),
      signal: AbortSignal.timeout(patienceMs),
    })
    const text = await response.text()
    if (response.status < 500 && response.status !== 202) throw new RefusedError(`${response.status} ${text}`)
    return response.status === 202
  } catch (error) {
    if (error instanceof RefusedError) throw error
    return false
  }
}

/** The side will never accept this, so repeating it would hide a mistake of the benchmark. */
class RefusedError extends Error {}
