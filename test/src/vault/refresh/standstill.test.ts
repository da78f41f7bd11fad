// @promise order refresh
import test, { type ExecutionContext } from 'ava'
import type { OAuthClient } from '../../../../src/vault/oauth/oauth-client.ts'
import type { TokenOutcome } from '../../../../src/vault/oauth/token-outcome.ts'
import { createRefresh } from '../../../../src/vault/refresh/refresh.ts'
import { VaultEntry } from '../../../../src/vault/vault-entry.ts'
import { connectContacts, startOAuthSites } from '../../../helpers/connect.ts'
import { customer } from '../../../helpers/people.ts'
import { startPlatform } from '../../../helpers/platform.ts'
import { briefStandstill } from '../../../helpers/standstill.ts'

/** Refreshes the tokens of an entry in a process that stands still when it takes the turn. */
async function open(t: ExecutionContext, ask: (entryId: string) => Promise<TokenOutcome>) {
  const { contacts, sites, env } = await startOAuthSites(t)
  const { services, config, ...platform } = await startPlatform(t, { sites, env })
  const { maySend, standStill } = briefStandstill(t)
  const entryId = await connectContacts(await customer(platform), contacts)
  const sent: [what: string, maySend: boolean][] = []
  const oauthClient = {
    refresh: () => {
      sent.push(['refresh', maySend()])
      return ask(entryId)
    },
    revoke: async () => void sent.push(['revoke', maySend()]),
  } as unknown as OAuthClient
  const clock = {
    now: () => {
      standStill()
      return services.clock.now()
    },
  }
  const markNeedsReauth = async () => {}
  const refresh = createRefresh({ ...services, config, clock, oauthClient, markNeedsReauth })
  const { generation } = await VaultEntry.query(services.database).findById(entryId).throwIfNotFound()
  return { sent, services, renew: () => refresh.renew(entryId, generation, 'unauthorized') }
}

test('a refresh token is not sent after its process stood still: another one may have the turn', async (t) => {
  const { sent, renew } = await open(t, async () => ({ kind: 'not_sent', message: 'It was not sent.' }))
  t.like(await renew(), { kind: 'unavailable', message: 'It was not sent.' })
  t.deepEqual(sent, [['refresh', false]])
})

test('tokens of an entry that was deleted meanwhile are given back, however late', async (t) => {
  const { sent, services, renew } = await open(t, async (entryId) => {
    await VaultEntry.query(services.database).deleteById(entryId)
    return { kind: 'granted', grant: { accessToken: 'a-token' } }
  })
  t.is((await renew()).kind, 'gone')
  t.deepEqual(sent, [
    ['refresh', false],
    ['revoke', true],
  ])
})
