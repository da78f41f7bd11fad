import test from 'ava'
import * as webhooks from '../../../api/notification-webhooks.ts'
import * as notifications from '../../../api/notifications.ts'
import { call } from '../../helpers/client.ts'
import { notificationOf } from '../../helpers/notifications.ts'
import { document, violations } from '../../helpers/openapi-schemas.ts'
import { userIdOf } from '../../helpers/workspaces.ts'
import { callbacksForFile, verified, type Posted } from '../callbacks/open-callbacks.ts'

const openCallbacks = callbacksForFile(test)

async function openWebhook(t: Parameters<typeof openCallbacks>[0]) {
  const stage = await openCallbacks(t)
  const { platform, someone } = stage
  const ownerId = await userIdOf(someone)
  const set = async (url: string) => (await call(someone, webhooks.setNotificationWebhook, { body: { url } })).body
  const shown = async () => (await call(someone, webhooks.getNotificationWebhook)).body
  const remove = () => call(someone, webhooks.removeNotificationWebhook)
  const told = async () => (await call(someone, notifications.listNotifications)).body.items
  return { ...stage, ownerId, set, shown, remove, told, notify: () => notificationOf(platform, ownerId) }
}

// @promise callbacks
test.serial('each notification is posted to its owner, signed, until it is taken', async (t) => {
  const { receiver, platform, clock, round, ownerId, set, shown, told, notify } = await openWebhook(t)
  t.deepEqual(await shown(), { url: null, createdAt: null, updatedAt: null, latest: null })
  await notify()
  const { secret, ...made } = await set(receiver.url)
  t.regex(secret ?? '', /^whsec_/)
  t.like(made, { url: receiver.url, latest: null })
  t.is((await set(receiver.url)).secret, null, 'the secret is shown once')
  t.is(await round(), 0, 'what came before is not posted')

  const notification = await notify()
  receiver.answer = (_request, response) => response.writeHead(500).end()
  t.is(await round(), 1)
  t.like((await shown()).latest, {
    id: notification.id,
    status: 'pending',
    attempts: 1,
    lastAttempt: { httpStatus: 500, outcome: 'The receiver responded with 500.' },
  })
  receiver.answer = (_request, response) => response.writeHead(204).end()
  clock.forward(10)
  t.is(await round(), 1)
  t.like((await shown()).latest, { status: 'delivered', attempts: 2, nextAt: null })
  t.deepEqual(
    (await told()).map(({ webhookStatus }) => webhookStatus),
    ['delivered', null],
  )

  const [first, second] = receiver.posted as [Posted, Posted]
  t.is(first.headers['webhook-id'], notification.id)
  t.deepEqual([second.headers['webhook-id'], second.body], [first.headers['webhook-id'], first.body])
  const { id, kind, subjectId, title, message, consolePage } = notification
  const createdAt = notification.createdAt.toISOString()
  const consoleUrl = `${platform.config.http.baseUrl}${consolePage}`
  const schema = document.webhooks['notificationCreated']?.['post']?.requestBody?.content?.['application/json']?.schema
  t.deepEqual(violations((schema ?? false) as object, JSON.parse(second.body)), [])
  t.deepEqual(verified(secret, second), {
    type: 'notification.agent_failing',
    timestamp: createdAt,
    data: { id, ownerId, kind, subjectId, consoleUrl, title, message, createdAt },
  })
})

test.serial('a webhook that fails for a day causes no notification of itself', async (t) => {
  const { receiver, clock, round, set, shown, told, notify, logs } = await openWebhook(t)
  const { secret } = await set(receiver.url)
  await notify()
  receiver.answer = (_request, response) => response.writeHead(500).end()
  t.is(await round(), 1)
  clock.forward(86_400)
  t.is(await round(), 1)
  t.like((await shown()).latest, { status: 'failed', attempts: 2, nextAt: null })
  t.deepEqual(
    (await told()).map(({ kind, webhookStatus }) => [kind, webhookStatus]),
    [['agent_failing', 'failed']],
  )
  t.is(await round(), 0)
  t.false(logs.some((line) => line.includes(secret ?? '-')))

  // Nor if no worker has room in time.
  await notify()
  clock.forward(2 * 86_400)
  await round()
  clock.forward(120)
  await round()
  t.deepEqual(
    (await told()).map(({ kind, webhookStatus }) => [kind, webhookStatus]),
    [
      ['agent_failing', 'failed'],
      ['agent_failing', 'failed'],
    ],
  )
})

test.serial('pending requests go to a new URL, and are given up without one', async (t) => {
  const { receiver, other, clock, round, set, shown, remove, notify } = await openWebhook(t)
  await set(receiver.url)
  receiver.answer = (_request, response) => response.writeHead(500).end()
  await notify()
  t.is(await round(), 1)
  const { secret } = await set(other.url)
  t.is(secret, null)
  clock.forward(10)
  t.is(await round(), 0)
  t.is(other.posted.length, 1)

  const given = await notify()
  t.is((await remove()).status, 204)
  t.is((await remove()).status, 204)
  await round()
  t.is(other.posted.length, 1)
  t.is((await shown()).url, null)
  const again = await set(other.url)
  t.is(again.latest, null, 'what was posted before is not its own')
  t.regex(again.secret ?? '', /^whsec_/)
  t.truthy(given)
})

test.serial('only public addresses are taken', async (t) => {
  const { someone } = await openWebhook(t)
  for (const url of ['http://hooks.example.com/', 'https://10.0.0.1/', 'https://a:b@hooks.example.com/', 'nothing']) {
    const refused = await call(someone, webhooks.setNotificationWebhook, { body: { url } })
    t.is(refused.failure.code, 'INVALID_URL', url)
  }
})
