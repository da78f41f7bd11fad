import test from 'ava'
import * as notifications from '../../../api/notifications.ts'
import { call, type Client } from '../../helpers/client.ts'
import { notificationOf } from '../../helpers/notifications.ts'
import { customer, person } from '../../helpers/people.ts'
import { memberOf, userIdOf, workspaceOf } from '../../helpers/workspaces.ts'
import { sharedPlatform } from '../../helpers/shared.ts'

const stage = sharedPlatform(test, 'idle')

const idsOf = async (client: Client, query: Record<string, string> = {}) =>
  (await call(client, notifications.listNotifications, { query })).body.items.map(({ id }) => id)

const mark = (client: Client, notificationId: string, read = true) =>
  call(client, notifications.markNotification, { params: { notificationId }, body: { read } })

test('a notification is marked as read, with who did so, and as unread again', async (t) => {
  const platform = await stage()
  const someone = await person(platform)
  const userId = await userIdOf(someone)
  const [first, second] = [await notificationOf(platform, userId), await notificationOf(platform, userId)]
  const { body } = await mark(someone, first.id)
  t.like(body, { id: first.id, readBy: userId })
  t.truthy(body.readAt)
  t.is((await mark(someone, first.id)).body.readAt, body.readAt)
  t.deepEqual(await idsOf(someone, { unread: 'true' }), [second.id])
  t.deepEqual(await idsOf(someone), [second.id, first.id])
  t.like((await mark(someone, first.id, false)).body, { readAt: null, readBy: null })
  t.deepEqual(await idsOf(someone, { unread: 'true' }), [second.id, first.id])
})

test('all up to one that was seen are marked; what came since stays unread', async (t) => {
  const platform = await stage()
  const someone = await person(platform)
  const userId = await userIdOf(someone)
  await notificationOf(platform, userId)
  const seen = await notificationOf(platform, userId)
  const later = await notificationOf(platform, userId)
  const markSeen = () => call(someone, notifications.markNotifications, { body: { upTo: seen.id } })
  t.deepEqual((await markSeen()).body, { count: 2 })
  t.deepEqual((await markSeen()).body, { count: 0 })
  t.deepEqual(await idsOf(someone, { unread: 'true' }), [later.id])
})

test("a workspace's notification is read for all its members, and nobody else can mark it", async (t) => {
  const platform = await stage()
  const owner = await customer(platform, 'team')
  const { id: workspaceId } = await workspaceOf(owner)
  const [member, stranger] = [await memberOf(platform, workspaceId, 'member'), await person(platform)]
  const { id } = await notificationOf(platform, workspaceId)
  t.is((await mark(stranger, id)).failure.code, 'NOT_FOUND')
  t.is((await mark(await memberOf(platform, workspaceId, 'viewer'), id)).failure.code, 'PERMISSION_DENIED')
  t.is((await mark(member, id)).status, 200)
  t.deepEqual(await idsOf(owner, { workspaceId, unread: 'true' }), [])
  const ownerId = await userIdOf(owner)
  const { id: second } = await workspaceOf(owner)
  const [own, elsewhere] = [await notificationOf(platform, ownerId), await notificationOf(platform, second)]
  const { id: other } = await notificationOf(platform, workspaceId)
  await call(stranger, notifications.markNotifications, { body: { upTo: other } })
  t.deepEqual(await idsOf(owner, { workspaceId, unread: 'true' }), [other])
  t.like((await call(owner, notifications.listNotifications, { query: { workspaceId } })).body.items[1], {
    readBy: await userIdOf(member),
  })
  const marked = await call(member, notifications.markNotifications, { body: { workspaceId, upTo: other } })
  t.deepEqual(marked.body, { count: 1 }, "neither the owner's own, nor those of the owner's other workspace")
  t.deepEqual(await idsOf(owner, { unread: 'true' }), [own.id])
  t.deepEqual(await idsOf(owner, { workspaceId: second, unread: 'true' }), [elsewhere.id])
})
