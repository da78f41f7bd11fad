import pLimit from 'p-limit'
import { cleanUp } from './clean-up.ts'
import { createClient } from './client.ts'
import type { Facts } from './facts.ts'
import { createOwnSites } from './own-sites.ts'
import { createPeople } from './people.ts'
import { Untried } from './deviation.ts'
import type { Judged, Row } from './row.ts'
import { createOnce } from './once.ts'
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

/** Tries the rows, several at a time, and deletes what was made. The results have the order of the rows. */
export async function check({ base, facts, rows, say }: Options): Promise<Judged[]> {
  const client = createClient({ base, caFile: facts?.siteCaFile, say })
  const people = createPeople(client, facts)
  const sites = createOwnSites(facts)
  const once = createOnce()
  const limit = pLimit(atOnce)
  const judge = (row: Row): Promise<Judged> => tried(row, facts, { client, people, sites, once })
  try {
    return await Promise.all(rows.map((row) => (row.isSlow ? judge(row) : limit(judge, row))))
  } finally {
    await cleanUp(client, people, say)
    await Promise.all([sites.close(), client.close()])
  }
}

async function tried(row: Row, facts: Facts | undefined, parts: Omit<Stage, 'facts'>): Promise<Judged> {
  const began = performance.now()
  const result = (verdict: Judged['verdict'], evidence: string): Judged => {
    return { row, verdict, evidence, seconds: (performance.now() - began) / 1000 }
  }
  const missing = missingOf(row, facts)
  if (missing !== undefined) return result('not tried', missing)
  try {
    // Rows name what they need of it.
    return result('passed', await row.run({ ...parts, facts: facts as Facts }))
  } catch (error) {
    return result(error instanceof Untried ? 'not tried' : 'failed', (error as Error).message)
  }
}

function missingOf({ needs = [] }: Row, facts: Facts | undefined): string | undefined {
  if (needs.length > 0 && !facts) return 'It needs the file that npm start writes.'
  const lacking = needs.filter((need) => facts?.[need] === null || facts?.[need] === false)
  return lacking.length > 0 ? `This installation has no ${lacking.join(', ')}.` : undefined
}
