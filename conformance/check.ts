import pLimit from 'p-limit'
import { cleanUp } from './clean-up.ts'
import { createClient } from './client.ts'
import type { Facts } from './facts.ts'
import { createOwnSites } from './own-sites.ts'
import { createPeople } from './people.ts'
import { Untried } from './deviation.ts'
import type { Judged, Row } from './row.ts'
import { createOnce } from './once.ts'
import { assertSwitchyard, hasPayments } from './probe.ts'
import type { Stage } from './stage.ts'

/** More rows at a time would measure this machine, and not the platform. */
const atOnce = 8

interface Options {
  base: string
  facts: Facts | undefined
  rows: readonly Row[]
  /** Is told of waits, and of what could not be deleted. */
  say: (text: string) => void
}

/** A check of a running platform. It is run once, and may be stopped meanwhile. */
export function createCheck({ base, facts, rows, say }: Options) {
  const stopping = new AbortController()
  const stop = stopping.signal
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }))
  const options = { base, caFile: facts?.siteCaFile, say }
  const client = createClient({ ...options, stop })
  // It deletes also after a stop.
  const cleaner = createClient(options)
  const people = createPeople(client, facts)
  const sites = createOwnSites(facts)
  const stage = { client, people, sites, once: createOnce() }
  const judged = new Map<Row, Judged>()

  async function judge(row: Row): Promise<void> {
    if (stop.aborted) return
    const result = row.ofMoney && people.areAllCustomers() ? excused(row) : await tried(row, facts, stage)
    // What fails because of the stop says nothing.
    if (!stop.aborted) judged.set(row, result)
  }

  async function end(): Promise<void> {
    // What is being made is there afterwards, and can be deleted.
    await client.idle()
    await cleanUp(cleaner, people, say)
    await Promise.all([sites.close(), client.close(), cleaner.close()])
  }

  return {
    /**
     * Tries the rows, several at a time, and deletes what was made. The results have the order of the rows; after a stop
     * there are only those so far. Throws a sentence if this is not a platform that can be checked.
     */
    async run(): Promise<Judged[]> {
      const limit = pLimit(atOnce)
      try {
        await assertSwitchyard(client)
        if (!(await hasPayments(client))) people.makeAllCustomers()
        const all = rows.map((row) => (row.isSlow ? judge(row) : limit(judge, row)))
        await Promise.race([Promise.all(all), stopped])
      } finally {
        await end()
      }
      return rows.flatMap((row) => judged.get(row) ?? [])
    },
    /** Begins no row any more; `run` deletes what was made, and returns. */
    stop: () => stopping.abort(),
    isStopped: () => stop.aborted,
    /** The addresses of the accounts that are not deleted. */
    staying: () => [...people.made].map(({ email }) => email),
  }
}

async function tried(row: Row, facts: Facts | undefined, parts: Omit<Stage, 'facts'>): Promise<Judged> {
  const began = performance.now()
  const result = (verdict: Judged['verdict'], evidence: string): Judged => {
    return { row, verdict, evidence, seconds: (performance.now() - began) / 1000 }
  }
  const missing = missingOf(row, facts, parts.people.areAllCustomers())
  if (missing !== undefined) return result('not tried', missing)
  try {
    // Rows name what they need of it.
    return result('passed', await row.run({ ...parts, facts: facts as Facts }))
  } catch (error) {
    return result(error instanceof Untried ? 'not tried' : 'failed', (error as Error).message)
  }
}

const excused = (row: Row): Judged => ({
  row,
  verdict: 'not tried',
  evidence: 'This installation has no tiers and payments (BILLING=off).',
  isExcused: true,
  seconds: 0,
})

/** Where nobody has to pay, no card is needed for an account that may do everything. */
function missingOf({ needs = [] }: Row, facts: Facts | undefined, isFree: boolean): string | undefined {
  if (needs.length > 0 && !facts) return 'It needs the file that npm start writes.'
  const wanted = needs.filter((need) => need !== 'cards' || !isFree)
  const lacking = wanted.filter((need) => facts?.[need] === null || facts?.[need] === false)
  return lacking.length > 0 ? `This installation has no ${lacking.join(', ')}.` : undefined
}
