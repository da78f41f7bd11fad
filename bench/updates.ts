import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openStore } from './store.ts'
import { carryOut } from './updates/load.ts'
import { hotShares } from './updates/shares.ts'

/**
 * `npm run bench:updates`: how many updates of `runs` and `agent_queues` stay within their page (HOT), and what the
 * tables take afterwards. Carries out runs of five steps for fifty agents, eight at a time, with the product's own code
 * and without Temporal. `--fillfactor runs=100,agent_queues=70` tries other settings than those of the schema.
 */
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '800' }, fillfactor: { type: 'string', default: '' } },
})
const settings = values.fillfactor.split(',').filter(Boolean)
if (!settings.every((setting) => /^(runs|agent_queues)=\d{2,3}$/.test(setting))) {
  throw new Error('--fillfactor must be like runs=85,agent_queues=50')
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-bench-'))
const store = await openStore(folder)
try {
  const url = await store.database('updates')
  const runs = await carryOut(
    url,
    Number(values.runs),
    settings.map((setting) => setting.split('=') as [string, string]),
  )
  for (const share of await hotShares(url)) {
    const { table, updates, hot, rows, indexes } = share
    console.log(
      `${table}: ${(updates / runs).toFixed(1)} updates a run, ${((100 * hot) / updates).toFixed(1)} % HOT, ` +
        `${Math.round(rows / runs)} bytes a run and ${Math.round(indexes / runs)} in indexes`,
    )
  }
} finally {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
}
