import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { textIfExists } from '../bin/local/write-file.ts'
import { fill } from './fill/fill.ts'
import { readSize, sizeOptions, type Size } from './fill/size.ts'
import { lists } from './storage/lists.ts'
import { limit, measure } from './storage/measure.ts'
import { explain } from './storage/plans.ts'
import { purgeOldestMonth } from './storage/purge.ts'
import { reads } from './storage/reads.ts'
import { openSide } from './storage/side.ts'
import { tableHead, tableRow } from './storage/table.ts'
import { writes } from './storage/writes.ts'
import { openStore } from './shared/store.ts'

/**
 * `npm run bench -- growth`: the time of all operations in a database with 20 million runs, compared with a small one
 * that has the same owners, agents and queues, on the same server. The small one has just enough runs to fill every
 * page, because pages of different lengths cannot be compared. Both are measured in turn with the product's own code,
 * and the result is the ratio of the medians. Fails if a ratio is over 2.
 * `--folder` keeps the databases, which are filled once: the first time takes long. `--runs`, `--full`, `--owners`,
 * `--months` and `--queued` change their size; `--plans` names the file for the plans of the filled side; `--purge`
 * deletes the oldest month at the end; `--only` measures operations whose names contain a text.
 */
const options = {
  ...sizeOptions,
  folder: { type: 'string', default: '.data/bench' },
  plans: { type: 'string', default: 'plans.md' },
  purge: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
} as const
const { values } = parseArgs({ options })
const { folder, plans, purge, only, ...named } = values
const size = readSize(named)
const small: Size = { ...size, runs: 20_000, full: 1000 }

const store = await openStore(folder)
try {
  const urls = { small: await store.database('small'), filled: await store.database('filled') }
  for (const [name, wanted] of [
    ['small', small],
    ['filled', size],
  ] as const) {
    if (isFilled(name, wanted)) continue
    await fill(urls[name], wanted, (text) => console.log(`${name}: ${text}`))
    writeFileSync(noteOf(name), JSON.stringify(wanted))
  }
  const over = await compareAll(urls)
  if (purge) {
    rmSync(noteOf('filled'))
    await purgeOldestMonth(urls.filled, console.log)
  }
  console.log(over.length === 0 ? `Nothing is over ${limit}.` : `Over ${limit}: ${over.join('; ')}`)
  if (over.length > 0) process.exitCode = 1
} finally {
  await store.close()
}

/** Prints the table and returns the names of the operations that take too long. */
async function compareAll(urls: { small: string; filled: string }): Promise<string[]> {
  const sides = { small: await openSide('small', urls.small), filled: await openSide('filled', urls.filled) }
  const over: string[] = []
  let text = '# Plans in the filled database\n'
  console.log(tableHead)
  for (const operation of [...lists, ...reads, ...writes]) {
    if (!operation.names.some((name) => name.includes(only))) continue
    const measured = await measure(operation, sides)
    const plan = await explain(operation, sides.filled, urls.filled)
    text += plan.text
    for (const one of measured) {
      console.log(tableRow(one, plan.reads.get(one.name) ?? []))
      if (one.ratio > limit && !one.isCold) over.push(one.name)
    }
  }
  writeFileSync(plans, text)
  await sides.small.services.close()
  await sides.filled.services.close()
  return over
}

/** The file that says, once a database is filled, with what. */
function noteOf(name: string): string {
  return join(folder, `${name}.json`)
}

/** Whether the database was filled to its end with this. Throws if it was with something else. */
function isFilled(name: string, wanted: Size): boolean {
  const note = textIfExists(noteOf(name))
  if (note !== undefined && note !== JSON.stringify(wanted))
    throw new Error(`${folder} holds a database of ${note}. Name another folder, or delete this one.`)
  return note !== undefined
}
