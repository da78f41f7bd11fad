import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import * as members from '../../api/members.ts'
import { call } from '../helpers/client.ts'
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
