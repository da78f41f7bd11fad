// @promise limits
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as billing from '../../api/billing.ts'
import * as sessions from '../../api/sessions.ts'
import * as vault from '../../api/vault.ts'
import * as workspaces from '../../api/workspaces.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { hold } from '../helpers/hold.ts'
import { customer, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { startSites } from '../helpers/sites.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const open = forWholeFile(test, 'limits at once', async (t) => {
  const sites = await startSites(t)
  // Each test holds two connections, and looks on with a third.
  return { sites, ...(await startPlatform(t, { sites, env: { DATABASE_POOL: '20' } })) }
})

/** What a tier limits the number of, the row whose lock makes counting safe, and how one more is asked for. */
const counted: Record<
  string,
  { row: string; key: string; add: (who: Person, site: string) => Promise<{ status: number }> }
> = {
  agents: {
    row: 'users',
    key: 'id',
    add: (who) => call(who, agents.createAgent, { body: { name: 'A', systemPrompt: 'Report.', trigger: 'manual' } }),
  },
  'connected sites': {
    row: 'users',
    key: 'id',
    add: (who, url) => call(who, vault.addToVault, { body: { url, token: 'any-token' } }),
  },
  'API keys': {
    row: 'users',
    key: 'id',
    add: (who) => call(who, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['read'] } }),
  },
  sessions: {
    row: 'users',
    key: 'id',
    add: (who) => call(who, sessions.createSession, { body: {} }),
  },
  cards: {
    row: 'accounts',
    key: 'owner_id',
    add: (who) => call(who, billing.addPaymentMethod, { body: { paymentMethod: 'pm_card_visa' } }),
  },
  workspaces: {
    row: 'users',
    key: 'id',
    add: (who) => call(who, workspaces.createWorkspace, { body: { name: 'Support' } }),
  },
}

for (const [what, { row, key, add }] of Object.entries(counted)) {
  test(`the limit of ${what} is counted by one request of an owner at a time`, async (t) => {
    const { sites, services, ...platform } = await open()
    const { database } = services
    const someone = await customer({ url: platform.url }, 'team')
    await call(someone, billing.getBilling)
    const { id } = (await database('users').where({ email: someone.email }).first('id')) as { id: string }
    // As if another request of theirs were counting at this moment.
    let holder = 0
    const release = await hold(database, async (trx) => {
      await trx(row)
        .where({ [key]: id })
        .forNoKeyUpdate()
      const { rows } = await trx.raw<{ rows: [{ pid: number }] }>('select pg_backend_pid() as pid')
      holder = rows[0].pid
    })
    const asked = add(someone, sites.badTools.origin)
    const waits = eventually(10, 'it waits for its turn', async () => {
      const { rows } = await database.raw<{ rows: unknown[] }>(
        'select from pg_stat_activity where ? = any(pg_blocking_pids(pid))',
        [holder],
      )
      return rows.length > 0 || undefined
    })
    const first = await Promise.race([asked.then(() => 'was not made to wait'), waits.then(() => 'waits')])
    await release()
    t.is(first, 'waits')
    t.is((await asked).status, 201)
  })
}
