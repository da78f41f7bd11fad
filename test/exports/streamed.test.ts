// @promise exports
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import * as members from '../../api/members.ts'
import * as workspaces from '../../api/workspaces.ts'
import { call, sendRaw } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { customer, person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'
import { begin, notify } from './reader.ts'

/* Exports that are larger than what is held in memory. */

test('an export is read as fast as its reader reads, one at a time for each account', async (t) => {
  const platform = await startPlatform(t)
  const { database } = platform.services
  const someone = await person(platform)
  await notify(database, await userIdOf(someone), 10_000)
  let queries = 0
  database.on('query', () => (queries += 1))
  const first = await begin(someone)
  t.is(first.headers['content-length'], undefined)
  // The kernel holds some megabytes of it; then nothing is read.
  const still = await eventually(20, 'nobody reads the database any more', async () => {
    const before = queries
    await delay(500)
    return queries === before ? before : undefined
  })
  t.true(still < 450, `${still} queries of more than 500`)
  const second = await begin(someone)
  t.is(second.status, 429)
  const entries = () => database('auditEntries').where({ action: 'exportAccount' })
  t.is((await entries()).length, 1, 'what is refused is not noted')
  const headers = { authorization: `Bearer ${someone.token}` }
  const head = await sendRaw(`${someone.url}/auth/me/export`, { method: 'HEAD', headers })
  t.deepEqual([head.status, head.bytes.length], [200, 0])
  t.is((await entries()).length, 1, 'nor is what exports nothing')
  t.is((await begin(await person(platform))).status, 200, 'others may')
  const document = JSON.parse(await first.rest()) as { notifications: unknown[]; complete: boolean }
  t.is(document.notifications.length, 10_000)
  t.true(document.complete)

  const third = await begin(someone)
  t.is(third.status, 200)
  third.leave()
  const again = await eventually(20, 'whoever has left may begin anew', async () => {
    const next = await begin(someone)
    return next.status === 200 ? next : undefined
  })
  again.leave()
})

test('an export that cannot be read to its end is cut, and so is that of whoever may not see it any more', async (t) => {
  const platform = await startPlatform(t)
  const { database } = platform.services
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const admin = await memberOf(platform, workspaceId, 'admin')
  await notify(database, workspaceId, 10_000)
  const path = `/workspaces/${workspaceId}/export`
  const [mine, theirs] = [await begin(owner, path), await begin(admin, path)]
  t.deepEqual([mine.status, theirs.status], [200, 200])
  const params = { workspaceId, userId: await userIdOf(admin) }
  const turnOf = (userId: string) => database('leases').where({ name: `export ${userId}` })
  t.is((await turnOf(params.userId)).length, 1)
  t.is((await call(owner, members.removeMember, { params })).status, 204)
  await eventually(20, 'the member is told', async () => (await turnOf(params.userId)).length === 0 || undefined)
  await t.throwsAsync(theirs.rest())
  await database.raw('alter table notifications rename to gone')
  await t.throwsAsync(mine.rest())
  t.true(platform.logs.some((line) => line.includes('a document was cut off')))
})

test('an export of a workspace that is deleted as soon as it has begun is cut', async (t) => {
  const platform = await startPlatform(t, { env: { STREAM_CHECK_SECONDS: '600' } })
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  await notify(platform.services.database, workspaceId, 10_000)
  const mine = await begin(owner, `/workspaces/${workspaceId}/export`)
  t.is(mine.status, 200)
  t.is((await call(owner, workspaces.deleteWorkspace, { params: { workspaceId } })).status, 204)
  const turns = () => platform.services.database('leases').whereLike('name', 'export %')
  await eventually(20, 'it is cut', async () => (await turns()).length === 0 || undefined)
  await t.throwsAsync(mine.rest())
})

test('an export is whole only if it can be seen still when everything was read', async (t) => {
  const platform = await startPlatform(t, { env: { STREAM_CHECK_SECONDS: '600' } })
  const { database } = platform.services
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const admin = await memberOf(platform, workspaceId, 'admin')
  const member = { workspaceId, userId: await userIdOf(admin) }
  // It waits for the lock, so the membership ends while it is read.
  const trx = await database.transaction()
  await trx.raw('lock table notifications in access exclusive mode')
  const theirs = begin(admin, `/workspaces/${workspaceId}/export`)
  await eventually(10, 'it waits', async () => {
    const { rows } = await trx.raw<{ rows: unknown[] }>('select from pg_locks where not granted')
    return rows.length > 0 || undefined
  })
  await database('members').where(member).delete()
  await trx.rollback()
  const { status } = await theirs
  t.is(status, 404, 'nothing was sent, so it is an ordinary refusal')
  t.deepEqual(await database('leases').whereLike('name', 'export %'), [])
})

test('an export that finds no room among the streams is refused, and takes no turn', async (t) => {
  const platform = await startPlatform(t, { env: { STREAM_LIMIT: '1' } })
  const { database } = platform.services
  const [first, second] = [await person(platform), await person(platform)]
  await notify(database, await userIdOf(first), 10_000)
  const theirs = await begin(first)
  t.deepEqual([theirs.status, (await begin(second)).status], [200, 429])
  const ownerId = await userIdOf(second)
  t.deepEqual(await database('auditEntries').where({ ownerId, action: 'exportAccount' }), [])
  t.deepEqual(await database('leases').where({ name: `export ${ownerId}` }), [])
  theirs.leave()
})
