import { setTimeout as delay } from 'node:timers/promises'
import type { Answer } from '../../helpers/client.ts'

/** In milliseconds. Longer than a chat answer may take. */
export const patienceMs = 100_000

/** What became of requests. */
export interface Outcomes {
  /** Requests of each kind that were sent, and had no answer, because something was cut, reset, killed or too slow. */
  unanswered: Map<string, number>
  /** Those that were sent again, by what became of them before. */
  troubles: Map<string, number>
}

/** Sends requests again with their key until they have an answer, as senders and SDKs do. */
export function createPatience({ unanswered, troubles }: Outcomes, gaveUp: AbortSignal) {
  function retry(what: string, why: string): void {
    add(troubles, `${what}: ${why}`)
  }

  function miss(what: string, error: Error): undefined {
    if (isFault(error)) throw error
    add(unanswered, what)
    retry(what, describe(error))
  }

  return {
    retry,
    /** One request; undefined if it had no answer. */
    once: <T>(what: string, ms: number, send: () => Promise<T>): Promise<T | undefined> =>
      within(ms, send()).catch((error: Error) => miss(what, error)),
    /** Undefined after one of the allowed codes. Throws if even the calm has brought no answer. */
    async untilAnswered<B>(what: string, send: () => Promise<Answer<B>>, mayFail: string[] = []) {
      for (;;) {
        const answer = await within(patienceMs, send()).catch((error: Error) => miss(what, error))
        if (answer && answer.status < 400) return answer.body
        if (answer && mayFail.includes(answer.failure.code)) return undefined
        if (answer) retry(what, answer.failure.code)
        if (gaveUp.aborted) throw new Error(`${what} had no answer`)
        await delay(1000)
      }
    },
  }
}

const add = (counts: Map<string, number>, name: string): unknown => counts.set(name, (counts.get(name) ?? 0) + 1)

async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController()
  work.catch(() => undefined)
  try {
    return await Promise.race([
      work,
      delay(ms, undefined, { signal: timer.signal }).then(() => Promise.reject(new Error(`no answer in ${ms} ms`))),
    ])
  } finally {
    timer.abort()
  }
}

/** An answer that the API does not declare. A proxy may answer, too, and has no body. */
const isFault = ({ message }: Error): boolean =>
  / (broke|answered an undeclared code:|answered a malformed error|answered with a body that is not declared|answered \d+, not) /.test(
    ` ${message} `,
  ) && !/: 50[234] undefined$/.test(message)

const describe = ({ message, code }: Error & { code?: string }): string =>
  `${code ?? ''} ${message}`.trim().slice(0, 100)
