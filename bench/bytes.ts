import { parseArgs } from 'node:util'
import { copyRun } from './bytes/copies.ts'
import { readRun } from './bytes/record.ts'
import { sizes } from './bytes/sizes.ts'

/**
 * `npm run bench:bytes -- --from <database> --to <migrated, empty database>`: how many bytes one run takes. Copies a run
 * of the first database (the one with most events, or `--run`) many times into the second one, with all its rows in all
 * tables and new identifiers, as if many agents had each done the same many times, and divides the sizes by the count.
 * It asks the catalogue what there is, so it works on every version of the schema.
 */
const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    run: { type: 'string' },
    copies: { type: 'string', default: '100000' },
    agents: { type: 'string', default: '100' },
  },
})
const { from, to, run } = values
if (from === undefined || to === undefined) throw new Error('Name two databases: --from <URL> --to <URL>')
const copies = Number(values.copies)

const record = await readRun(from, run)
console.log(`The run ${record.runId}: ${record.tables.map(({ name, rows }) => `${rows.length} ${name}`).join(', ')}`)
const before = await sizes(to)
await copyRun(to, record, { copies, agents: Number(values.agents) })
const after = await sizes(to)

const perRun = (name: string, part: 'rows' | 'indexes') =>
  ((after.get(name)?.[part] ?? 0) - (before.get(name)?.[part] ?? 0)) / copies
const shown = (bytes: number) => bytes.toFixed(0).padStart(8)
const line = (name: string, rows: number, indexes: number) =>
  console.log(`${name.padEnd(24)}${shown(rows)}${shown(indexes)}${shown(rows + indexes)}`)
const total = { rows: 0, indexes: 0 }
console.log(`\n${'bytes a run'.padEnd(24)}${'rows'.padStart(8)}${'indexes'.padStart(8)}${'in all'.padStart(8)}`)
for (const { name } of record.tables) {
  const [rows, indexes] = [perRun(name, 'rows'), perRun(name, 'indexes')]
  total.rows += rows
  total.indexes += indexes
  line(name, rows, indexes)
}
line('in all', total.rows, total.indexes)
