// @promise exports
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import * as members from '../../api/members.ts'
import * as workspaces from '../../api/workspaces.ts'
import { call, sendRaw } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { customer, person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { memberOf, userIdOf, workspaceOf } from '../helpers/workspaces.ts'
import { begin, notify } from './reader.ts'

/* Exports that are larger than what is held in memory. One after the other: some count statements, or lock a table. */

/** Regular checks of streams come too late for these tests. */
const house = forWholeFile(test, 'streamed exports', (t) =>
  startPlatform(t, { env: { STREAM_CHECK_SECONDS: '600', STREAM_LIMIT: '2' } }),
)

/** A workspace, and how its export is read. */
async function open() {
  const platform = await house()
  const { database } = platform.services
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const params = { workspaceId }
  return {
    platform,
    database,
    owner,
    workspaceId,
    params,
    read: (by = owner) => begin(by, `/workspaces/${workspaceId}/export`),
    /** Nobody's export is under way. */
    untilOver: () =>
      eventually(20, 'it is over', async () => {
        const turns = await database('leases').whereLike('name', 'export %')
        return turns.length === 0 || undefined
      }),
  }
}

test.serial('an export is read as fast as its reader reads, one at a time for each account', async (t) => {
  const { platform, database, untilOver } = await open()
  const someone = await person(platform)
  const ownerId = await userIdOf(someone)
  await notify(database, ownerId, 10_000)
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
  const noted = async (by: string) =>
    (await database('auditEntries').where({ ownerId: by, action: 'exportAccount' })).length
  t.is((await begin(someone)).status, 429)
  t.is(await noted(ownerId), 1, 'what is refused is not noted')
  const headers = { authorization: `Bearer ${someone.token}` }
  const head = await sendRaw(`${someone.url}/auth/me/export`, { method: 'HEAD', headers })
  t.deepEqual([head.status, head.bytes.length], [200, 0])
  t.is(await noted(ownerId), 1, 'nor is what exports nothing')

  const neighbour = await person(platform)
  await notify(database, await userIdOf(neighbour), 10_000)
  const theirs = await begin(neighbour)
  t.is(theirs.status, 200, 'others may')
  const third = await person(platform)
  const thirdId = await userIdOf(third)
  t.is((await begin(third)).status, 429, 'there is no room among the streams')
  t.is(await noted(thirdId), 0)
  t.deepEqual(await database('leases').where({ name: `export ${thirdId}` }), [])
  theirs.leave()

  const document = JSON.parse(await first.rest()) as { notifications: unknown[]; complete: boolean }
  t.is(document.notifications.length, 10_000)
  t.true(document.complete)
  await untilOver()
  const again = await begin(neighbour)
  t.is(again.status, 200, 'whoever has left may begin anew')
  again.leave()
  await untilOver()
})

test.serial('an export is cut for whoever may not see it any more, and where the workspace is deleted', async (t) => {
  const { platform, database, owner, workspaceId, params, read, untilOver } = await open()
  const admin = await memberOf(platform, workspaceId, 'admin')
  await notify(database, workspaceId, 10_000)
  const [mine, theirs] = [await read(), await read(admin)]
  t.deepEqual([mine.status, theirs.status], [200, 200])
  const userId = await userIdOf(admin)
  t.is((await call(owner, members.removeMember, { params: { ...params, userId } })).status, 204)
  const turn = () => database('leases').where({ name: `export ${userId}` })
  await eventually(20, 'the member is told', async () => (await turn()).length === 0 || undefined)
  await t.throwsAsync(theirs.rest())
  t.is((await call(owner, workspaces.deleteWorkspace, { params })).status, 204)
  await untilOver()
  await t.throwsAsync(mine.rest())
})

test.serial('an export is whole only if it can be seen still when everything was read', async (t) => {
  const { platform, database, workspaceId, read, untilOver } = await open()
  const admin = await memberOf(platform, workspaceId, 'admin')
  const member = { workspaceId, userId: await userIdOf(admin) }
  // It waits for the lock, so the membership ends while it is read.
  const trx = await database.transaction()
  await trx.raw('lock table notifications in access exclusive mode')
  const theirs = read(admin)
  await eventually(10, 'it waits', async () => {
    const { rows } = await trx.raw<{ rows: unknown[] }>('select from pg_locks where not granted')
    return rows.length > 0 || undefined
  })
  await database('members').where(member).delete()
  await trx.rollback()
  t.is((await theirs).status, 404, 'nothing was sent, so it is an ordinary refusal')
  await untilOver()
})

test.serial('an export that cannot be read to its end is cut', async (t) => {
  const { platform, database, workspaceId, read } = await open()
  await notify(database, workspaceId, 10_000)
  const mine = await read()
  t.is(mine.status, 200)
  await database.raw('alter table notifications rename to gone')
  await t.throwsAsync(mine.rest())
  t.true(platform.logs.some((line) => line.includes('a document was cut off')))
})
