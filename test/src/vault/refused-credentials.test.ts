import test from 'ava'
import * as notifications from '../../../api/notifications.ts'
import * as vaultApi from '../../../api/vault.ts'
import type { ConnectionState } from '../../../src/vault/connections.ts'
import { call } from '../../helpers/client.ts'
import { connectBadTools, person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { startSites } from '../../helpers/sites.ts'

function connectionIn(state: ConnectionState) {
  if (state.kind !== 'ready') throw new Error(`the site cannot be called: ${state.kind}`)
  return state.connection
}

test('a late refusal of a former token harms the present one as little as anybody, and each death is told once', async (t) => {
  const sites = await startSites(t)
  const { services, ...platform } = await startPlatform(t, { sites })
  const someone = await person(platform)
  const entryId = await connectBadTools(someone, sites)
  const { ownerId } = (await services.database('vault_entries').where({ id: entryId }).first('ownerId')) as {
    ownerId: string
  }
  const { connections } = services.vault
  const replace = () =>
    call(someone, vaultApi.replaceVaultToken, { params: { entryId }, body: { token: 'a-new-token' } })
  const told = async () => (await call(someone, notifications.listNotifications)).body.items.length

  const former = connectionIn(await connections.open(ownerId, entryId))
  await replace()
  t.like(await connections.refused(ownerId, former, false), { kind: 'ready', connection: { token: 'a-new-token' } })
  t.is(await told(), 0)

  const present = connectionIn(await connections.open(ownerId, entryId))
  t.like(await connections.refused(ownerId, present, false), { kind: 'dead' })
  t.like(await connections.refused(ownerId, present, false), { kind: 'dead' })
  t.is(await told(), 1)
  await replace()
  t.like(await connections.refused(ownerId, connectionIn(await connections.open(ownerId, entryId)), false), {
    kind: 'dead',
  })
  t.is(await told(), 2)
})
