// @promise deletion
import test from 'ava'
import { newId } from '../../src/ids.ts'
import { OAuthFlow } from '../../src/vault/oauth/oauth-flow.ts'
import { graceIsOver, leave } from '../deletion/stage.ts'
import { rowsWith } from '../deletion/tables.ts'
import { notify } from '../exports/reader.ts'
import { startBareOAuthSite } from '../helpers/bare-oauth-site.ts'
import { eventually } from '../helpers/eventually.ts'
import { hold } from '../helpers/hold.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { agentOf, customer } from '../helpers/people.ts'
import type { Platform } from '../helpers/platform.ts'
import { start } from '../helpers/runs.ts'
import { userIdOf } from '../helpers/workspaces.ts'
import { openStage } from './stage.ts'

/** Connects the site, as a flow does that has come back. */
async function connect({ services }: Platform, ownerId: string, url: string): Promise<string> {
  const { dialect, origin, manifest } = await services.sites.discover(url, ownerId)
  const times = { createdAt: new Date(), expiresAt: new Date(Date.now() + 60_000) }
  const came = {
    ...times,
    ticketHash: newId(),
    status: 'exchanging' as const,
    entryId: null,
    scopes: ['read' as const],
  }
  const whose = { id: newId(), ownerId, userId: ownerId }
  const flow = await OAuthFlow.query(services.database).insertAndFetch({
    ...whose,
    ...came,
    dialect,
    origin,
    manifest,
    clientId: 'switchyard',
  })
  const grant = { accessToken: 'the-access-token', refreshToken: 'the-refresh-token' }
  return (await services.vault.keep(flow, grant)).id
}

test('workers that are killed in the middle of a deletion leave no row, and no credential unrevoked', async (t) => {
  const site = await startBareOAuthSite(t)
  const { caFile: SITE_CA_FILE } = await temporaryCertificates()
  const stage = await openStage(t, { env: { SITE_CA_FILE, SITE_ALLOW: site.host } })
  const { platform } = stage
  const { database } = platform.services
  const someone = await customer(platform)
  const ownerId = await userIdOf(someone)
  const entryId = await connect(platform, ownerId, site.origin)
  const agent = await agentOf(someone)
  await start(someone, agent)
  await notify(database, ownerId, 2000, 10)
  await leave(someone)
  await graceIsOver(platform, ownerId)
  const count = async (table: string) => Number((await database(table).where({ ownerId }).count())[0]?.['count'])
  /** Otherwise the next worker would wait a minute for the one that was killed. */
  const nobodyHasIt = async () => {
    await database('deletions').where({ ownerId }).update({ nextAt: new Date() })
    await database('vault_revocations').update({ nextAt: new Date() })
  }

  const { revoke } = site
  site.revoke = () => undefined
  const first = await stage.startWorker()
  await eventually(30, 'the credential is being revoked', () => site.revokeForms.length === 1 || undefined)
  await first.kill()
  t.is((await database('vault_revocations')).length, 1, 'what nobody may have revoked is not forgotten')

  site.revoke = revoke
  await nobodyHasIt()
  // What is deleted last cannot be, so the worker is certainly in the middle when it is killed.
  const letGo = await hold(database, (trx) => trx('agents').where({ ownerId }).forUpdate())
  const second = await stage.startWorker()
  await eventually(60, 'a part of the rows is deleted', async () => (await count('notifications')) === 0 || undefined)
  await second.kill()
  const left = await count('agents')
  await letGo()
  t.is(left, 1)
  t.deepEqual([await count('vault_entries'), await database('vault_revocations')], [0, []])
  t.deepEqual(
    site.revokeForms.map((form) => form.get('token')),
    ['the-refresh-token', 'the-refresh-token'],
  )

  await nobodyHasIt()
  await platform.startWorker()
  await eventually(60, 'everything is deleted', async () => {
    const row = (await database('deletions').where({ ownerId }).first()) as { emptiedAt: Date | null }
    return row.emptiedAt ?? undefined
  })
  const found = await rowsWith(database, [someone.email, entryId, agent.id])
  t.deepEqual([...found.keys()], ['audit_entries'])
})
