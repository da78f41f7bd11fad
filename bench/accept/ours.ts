import { freePorts } from '../../bin/local/ports.ts'
import { onServer } from '../../test/helpers/database.ts'
import { apiProgram } from '../shared/programs.ts'
import type { BenchStores } from '../shared/servers.ts'
import { together } from './load.ts'
import { openPooler } from './pooler.ts'
import type { Load, Send } from './send.ts'
import { createTally, type Side } from './side.ts'
import { targetsOf } from './targets.ts'

interface Options {
  send: Send
  payload: string
  agents: number
}

/**
 * The platform: one API process with two kinds of proof, two API processes that share the load, and, if PgBouncer is
 * installed, one behind it.
 */
export async function openOurs(stores: BenchStores, { send, payload, agents }: Options) {
  const first = apiProgram(stores.env)
  await first.start()
  const bySecret = await targetsOf(stores, agents, payload)
  const signed = await targetsOf(stores, agents, payload, 'github')
  const second = await anotherApi(stores)
  const pooler = await openPooler(stores.database)
  const pooled = pooler && (await anotherApi(stores, pooler.url))
  const tallies = { bySecret: createTally(), signed: createTally() }

  const bySecretAt = (url: string, connections: number, seconds: number): Promise<Load> =>
    send(url, bySecret.targets, connections, seconds)
  const sides: Side[] = [
    {
      name: 'Switchyard',
      measure: async (connections, seconds) =>
        tallies.bySecret.note(await bySecretAt(stores.url, connections, seconds), connections),
    },
    {
      name: "Switchyard, GitHub's signature as proof",
      measure: async (connections, seconds) =>
        tallies.signed.note(await send(stores.url, signed.targets, connections, seconds), connections),
    },
    {
      name: 'Switchyard, two API processes',
      measure: async (connections, seconds) => {
        const each = (url: string) => bySecretAt(url, connections / 2, seconds)
        return tallies.bySecret.note(together(await Promise.all([stores.url, second.url].map(each))), connections)
      },
    },
  ]
  if (pooler && pooled) {
    sides.push({
      name: `Switchyard, behind ${pooler.name}`,
      measure: async (connections, seconds) =>
        tallies.bySecret.note(await bySecretAt(pooled.url, connections, seconds), connections),
    })
  }
  return {
    sides,
    /** Throws if a delivery is missing or a sequence has a gap. */
    async verify(): Promise<string[]> {
      const count = (ids: string[]) => storedWithoutGap(stores.database, ids)
      return [
        tallies.bySecret.compare('Switchyard', await count(bySecret.ids)),
        tallies.signed.compare("Switchyard, GitHub's signature", await count(signed.ids)),
        `Switchyard: the sequences of ${bySecret.ids.length + signed.ids.length} agents have no gap`,
      ]
    },
    async close(): Promise<void> {
      await Promise.all([first.stop(), second.control.stop(), pooled?.control.stop()])
      await pooler?.stop()
    },
  }
}

async function anotherApi({ env, database }: BenchStores, databaseUrl = database) {
  const [port = 0] = await freePorts(1)
  const control = apiProgram({ ...env, PORT: String(port), DATABASE_URL: databaseUrl })
  await control.start()
  return { control, url: `http://127.0.0.1:${port}` }
}

/** The number of runs of these agents. Throws unless each agent's sequence counts from one without a gap. */
async function storedWithoutGap(database: string, ids: string[]): Promise<number> {
  const { rows } = await onServer(database, (client) => client.query<{ runs: number; gaps: number }>(statement, [ids]))
  const { runs = 0, gaps = 0 } = rows[0] ?? {}
  if (gaps > 0) throw new Error(`the sequences of ${gaps} agents have gaps`)
  return runs
}

const statement = `
  select sum(runs)::int as runs,
         count(*) filter (where first <> 1 or last <> runs or last <> last_sequence)::int as gaps
    from (select agent_id, count(*) as runs, min(sequence) as first, max(sequence) as last
            from runs where agent_id = any($1::uuid[]) group by agent_id) per_agent
    join agent_queues using (agent_id)`
