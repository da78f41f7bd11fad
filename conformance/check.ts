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

/** More rows at a time would measure this machine instead of the platform. */
const atOnce = 8

interface Options {
  base: string
  facts: Facts | undefined
  rows: readonly Row[]
  /** Gets a line for each wait and each failed deletion. */
  say: (text: string) => void
}

/** A check of a running platform. It runs once, and may be stopped. */
export function createCheck({ base, facts, rows, say }: Options) {
  const stopping = new AbortController()
  const stop = stopping.signal
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }))
  const options = { base, caFile: facts?.siteCaFile, say }
  const client = createClient({ ...options, stop })
  // It also deletes after a stop.
  const cleaner = createClient(options)
  const people = createPeople(client, facts)
  const sites = createOwnSites(facts)
  const stage = { client, people, sites, once: createOnce() }
  const judged = new Map<Row, Judged>()

  async function judge(row: Row): Promise<void> {
    if (stop.aborted) return
    const result = row.ofMoney && people.areAllCustomers() ? excused(row) : await tried(row, facts, stage)
    // A failure after the stop means nothing.
    if (!stop.aborted) judged.set(row, result)
  }

  async function end(): Promise<void> {
    // Requests in progress create things that must be deleted too.
    await client.idle()
    await cleanUp(cleaner, people, say)
    await Promise.all([sites.close(), client.close(), cleaner.close()])
  }

  return {
    /**
     * Runs the rows, several at a time, and deletes everything they created. The results are in the order of the rows;
     * after a stop, only finished rows have results. Throws a sentence if the address is not a platform that can be
     * checked.
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
    /** Starts no further row. `run` then deletes and returns. */
    stop: () => stopping.abort(),
    isStopped: () => stop.aborted,
    /** The addresses of the accounts that were not deleted. */
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
    // Rows name the facts that they need.
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

/** Without payments, an account with every feature needs no card. */
function missingOf({ needs = [] }: Row, facts: Facts | undefined, isFree: boolean): string | undefined {
  if (needs.length > 0 && !facts) return 'It needs the file that npm start writes.'
  const wanted = needs.filter((need) => need !== 'cards' || !isFree)
  const lacking = wanted.filter((need) => facts?.[need] === null || facts?.[need] === false)
  return lacking.length > 0 ? `This installation has no ${lacking.join(', ')}.` : undefined
}
