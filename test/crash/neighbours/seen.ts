import { describe } from '../rolling/load.ts'

/** What users wait for: an answer of the API, a chat's first word, the end of a run that they watch. */
type Waited = 'answer' | 'first word' | 'watched run'

/** What users saw. Times are of this machine's clock, in milliseconds. */
export interface Seen {
  waits: Record<Waited, number[]>
  failures: { sentAt: number; what: string }[]
  /** By agent: its runs in the order in which they were accepted. */
  delivered: Map<string, { runId: string; sentAt: number }[]>
}

export type Send = (path: string, init?: RequestInit) => Promise<Response>

/** Notes what users see. */
export function createNotes() {
  const seen: Seen = { waits: { answer: [], 'first word': [], 'watched run': [] }, failures: [], delivered: new Map() }

  /** Waits for work, and notes its failure, which makes the result undefined. `arrived` notes how long it took. */
  async function noted<T>(
    what: string,
    work: (arrived: (waited: Waited) => void) => Promise<T>,
  ): Promise<T | undefined> {
    const [sentAt, began] = [Date.now(), performance.now()]
    const since = () => performance.now() - began
    try {
      return await work((waited) => void seen.waits[waited].push(since()))
    } catch (error) {
      seen.failures.push({ sentAt, what: `${what}: ${describe(error)} (after ${Math.round(since())} ms)` })
      return undefined
    }
  }

  return {
    seen,
    noted,

    /** Sends a request; undefined if its answer does not have the expected status. */
    ask: (send: Send, path: string, init: RequestInit, expected: number): Promise<Response | undefined> =>
      noted(`${init.method ?? 'GET'} ${path}`, async (arrived) => {
        const answer = await send(path, init)
        if (answer.status !== expected) throw new Error(`${answer.status} ${await answer.text()}`)
        arrived('answer')
        return answer
      }),
  }
}

export type Notes = ReturnType<typeof createNotes>
