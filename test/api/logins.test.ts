// @promise logins
import test from 'ava'
import * as auth from '../../api/auth.ts'
import * as logins from '../../api/logins.ts'
import { call, type Client } from '../helpers/client.ts'
import { movableClock } from '../helpers/clock.ts'
import { newcomer, type Person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { sharedPlatform } from '../helpers/shared.ts'

const house = sharedPlatform(test, 'idle')

async function enter(
  { url, email, password }: Person,
  userAgent = 'a test',
): Promise<Client & { refreshToken: string }> {
  const { body } = await call({ url }, auth.login, { body: { email, password }, headers: { 'user-agent': userAgent } })
  return { url, token: body.accessToken, refreshToken: body.refreshToken }
}
const listed = async (client: Client) => (await call(client, logins.listLogins)).body.items
const end = (client: Client, loginId: string) => call(client, logins.endLogin, { params: { loginId } })

test('a user sees from where and with what each login was opened, and which one asks', async (t) => {
  const someone = await newcomer(await house())
  const elsewhere = await enter(someone, 'x'.repeat(300))
  const [second, first] = await listed(someone)
  t.like(first, { current: true, address: '127.0.0.1' })
  t.like(second, { current: false, address: '127.0.0.1', userAgent: `${'x'.repeat(199)}…` })
  t.is((await listed(elsewhere))[0]?.current, true)
  t.deepEqual(Object.keys(second ?? {}).toSorted(), [
    'address',
    'createdAt',
    'current',
    'id',
    'lastUsedAt',
    'userAgent',
    'workspaceId',
  ])
})

test('when a login was last used is known to a minute, and noting it costs a write a minute', async (t) => {
  const clock = movableClock(new Date().toISOString())
  const platform = await startPlatform(t, { clock })
  const someone = await newcomer(platform)
  const opened = clock.now()
  const lastUse = async () => new Date((await listed(someone))[0]?.lastUsedAt ?? 0).getTime() - opened.getTime()
  t.is(await lastUse(), 0)
  clock.forward(59)
  t.is(await lastUse(), 0)
  clock.forward(1)
  await call(someone, auth.me)
  t.is(await lastUse(), 60_000)
})

test('ending a login ends its tokens and no other login', async (t) => {
  const someone = await newcomer(await house())
  const elsewhere = await enter(someone)
  const loginId = (await listed(elsewhere)).find(({ current }) => current)?.id ?? ''
  t.is((await end(await newcomer(await house()), loginId)).failure.code, 'NOT_FOUND', 'it is nobody else’s')
  t.is((await end(someone, loginId)).status, 204)
  t.is((await call(elsewhere, auth.me)).failure.code, 'TOKEN_REVOKED')
  const refreshed = await call({ url: someone.url }, auth.refresh, { body: { refreshToken: elsewhere.refreshToken } })
  t.is(refreshed.failure.code, 'TOKEN_REVOKED')
  t.is((await listed(someone)).length, 1)
  t.is((await end(someone, loginId)).failure.code, 'NOT_FOUND')
})

test.serial('logins that nobody can use any more are deleted, and of used tokens the latest are kept', async (t) => {
  const platform = await house()
  const { services } = platform
  const someone = await newcomer(platform)
  const [old, kept, theirs] = [await enter(someone), await enter(someone), await enter(await newcomer(platform))]
  const { refreshToken: spent } = theirs
  await call({ url: someone.url }, auth.refresh, { body: { refreshToken: spent } })
  let { refreshToken } = kept
  const renew = async () =>
    (await call({ url: someone.url }, auth.refresh, { body: { refreshToken } })).body.refreshToken
  for (let count = 0; count < 105; count += 1) refreshToken = await renew()
  const idOf = async (client: Client) => (await listed(client)).find(({ current }) => current)?.id ?? ''
  const [oldId, keptId] = [await idOf(old), await idOf(kept)]
  const tokens = async (loginId: string) => (await services.database('refresh_tokens').where({ loginId })).length
  t.is(await tokens(keptId), 101)
  const expiresAt = new Date(Date.now() - 2 * 86_400_000)
  await services.database('refresh_tokens').where({ loginId: oldId }).update({ expiresAt })
  const shown = new Set((await listed(someone)).map(({ id }) => id))
  t.deepEqual([shown.has(oldId), shown.has(keptId)], [false, true])
  await services.users.purge()
  t.deepEqual([await tokens(oldId), await tokens(keptId)], [0, 101])
  t.is((await services.database('logins').where({ id: oldId })).length, 0)
  const used = services.database('refresh_tokens').where({ loginId: keptId }).whereNotNull('consumedAt')
  await used.update({ expiresAt })
  await services.users.purge()
  t.is(await tokens(keptId), 1)
  t.truthy(await renew(), 'the login goes on with its token')
  const replayed = await call({ url: someone.url }, auth.refresh, { body: { refreshToken: spent } })
  t.is(replayed.failure.code, 'TOKEN_REVOKED', 'that of somebody else was used, and is known still')
})
