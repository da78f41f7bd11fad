// @promise passwords
import test, { type ExecutionContext } from 'ava'
import * as outboxRoutes from '../../../api/outbox.ts'
import { later } from '../../../src/clock.ts'
import { OutboxMail } from '../../../src/outbox/outbox-mail.ts'
import type { NewMail } from '../../../src/outbox/outbox.ts'
import { call } from '../../helpers/client.ts'
import { movableClock } from '../../helpers/clock.ts'
import { startMailServer } from '../../helpers/mail-server.ts'
import { adminOf } from '../../helpers/admins.ts'
import { person } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import type { Services } from '../../../src/services.ts'
import { notificationsForFile } from '../notifications/open-notifications.ts'

const canary = `sy_verify_${'canary'.repeat(7)}`

const openNotifications = notificationsForFile(test)

/** An empty outbox with a clock to move, and a mail server if one is named. */
async function openOutbox(t: ExecutionContext, smtpUrl?: string) {
  const opened = await openNotifications(t, smtpUrl)
  return { ...opened, ...writing(opened) }
}

function writing({ database, outbox, clock }: Pick<Services, 'database' | 'outbox' | 'clock'>) {
  const write = (fields: Partial<NewMail> = {}) =>
    database.transaction((trx) =>
      outbox.put(trx, {
        to: 'ada@example.com',
        kind: 'asked',
        subject: 'Hello',
        text: `Your token: ${canary}`,
        expiresAt: later(clock.now(), 1800),
        ...fields,
      }),
    )
  return { write, rows: () => OutboxMail.query(database).orderBy('id') }
}

test.serial('a mail to an address is sent once, and its text is stored sealed until then', async (t) => {
  const server = await startMailServer(t)
  const { write, mails, rows, outbox, logs, clock } = await openOutbox(t, server.url)
  await write()
  t.false(JSON.stringify(await rows()).includes('canary'))
  t.like((await outbox.list({ limit: 10 })).items, [{ status: 'pending', text: null, to: 'ada@example.com' }])
  await mails.send()
  await mails.send()
  t.deepEqual(
    server.arrived.map(({ recipients }) => recipients),
    [['ada@example.com']],
  )
  t.true(server.arrived[0]?.raw.includes(canary))
  t.like((await rows())[0], { status: 'sent', body: null, attempts: 1 })
  clock.forward(86_400)
  await mails.send()
  t.is((await rows())[0]?.status, 'sent', 'nobody gives up what was sent')
  t.false(logs.join('\n').includes('canary'))
})

test.serial('a mail is tried again as notifications are, until its text is of no use any more', async (t) => {
  const server = await startMailServer(t)
  const { write, mails, rows, clock } = await openOutbox(t, server.url)
  server.refuse({ at: 'RCPT TO', status: 450 })
  await write()
  await mails.send()
  clock.forward(299)
  await mails.send()
  t.is(server.connections(), 1)
  clock.forward(1)
  await mails.send()
  t.is(server.connections(), 2)
  clock.forward(1500)
  server.refuse(undefined)
  await mails.send()
  t.is(server.connections(), 2)
  t.like((await rows())[0], { status: 'failed', body: null, nextAt: null, attempts: 2 })

  // An invitation is good for a week, and tried for a day.
  await write({ expiresAt: later(clock.now(), 7 * 86_400) })
  for (const [seconds, status] of [
    [86_399, 'pending'],
    [1, 'failed'],
  ] as const) {
    server.refuse({ at: 'RCPT TO', status: 450 })
    clock.forward(seconds)
    await mails.send()
    t.is((await rows())[1]?.status, status)
  }
})

test.serial('without a mail server an admin alone reads the mails, until their time is over', async (t) => {
  const clock = movableClock(new Date().toISOString())
  const platform = await startPlatform(t, { clock })
  const { database, outbox, mails } = platform.services
  const { write, rows } = writing(platform.services)
  const admin = await adminOf(platform)
  const other = await person(platform)
  await database('outbox_mails').delete()
  await write()
  await mails.send()
  const { items } = (await call(admin, outboxRoutes.listOutbox)).body
  t.like(items, { 0: { to: 'ada@example.com', text: `Your token: ${canary}`, status: 'kept' }, length: 1 })
  t.is((await call(other, outboxRoutes.listOutbox)).failure.code, 'ADMIN_REQUIRED')
  clock.forward(1800)
  t.is((await outbox.list({ limit: 10 })).items[0]?.text, null)
  await outbox.purge()
  t.is((await rows())[0]?.body, null)
})

test.serial('mails are deleted after seven days, and no earlier', async (t) => {
  const { write, rows, clock, outbox } = await openOutbox(t)
  await write()
  clock.forward(7 * 86_400 - 1)
  await outbox.purge()
  t.is((await rows()).length, 1)
  // Ids are made in the real time, which goes on meanwhile.
  clock.forward(120)
  await outbox.purge()
  t.is((await rows()).length, 0)
})

test.serial('mails to addresses and notifications take turns, so that neither holds up the other', async (t) => {
  const server = await startMailServer(t)
  const { owner, tell, write, mails } = await openOutbox(t, server.url)
  const ownerId = await owner('owner@example.com')
  for (let nth = 0; nth < 25; nth += 1) {
    await write({ kind: nth % 2 === 0 ? 'notice' : 'asked' })
    await tell(ownerId, { key: String(nth) })
  }
  await mails.send()
  const recipients = server.arrived.flatMap((mail) => mail.recipients)
  t.is(recipients.filter((to) => to === 'owner@example.com').length, 10)
  t.is(recipients.length, 20)
})

test.serial('others can ask for twenty mails a day to a mailbox, however its address is written', async (t) => {
  const { write, clock, rows } = await openOutbox(t)
  const to = (index: number) => ({ to: `ada+${index}@example.com` })
  for (let index = 0; index < 20; index += 1) t.true(await write(to(index)))
  t.false(await write(to(20)))
  t.false(await write())
  t.is((await rows()).length, 20)
  for (const kind of ['verify', 'reset', 'notice'] as const) t.true(await write({ kind }), kind)
  t.true(await write({ to: 'grace@example.com' }))
  clock.forward(2 * 86_400)
  t.true(await write())
})

test.serial('what an account needs counts by its own address, once that is verified', async (t) => {
  const { write, users, database } = await openOutbox(t)
  const mine = 'ada+mine@example.com'
  const { id } = await users.register({ email: mine, password: 'a good password' })
  for (const kind of ['verify', 'reset', 'notice'] as const) {
    let count = 0
    while (await write({ kind, to: `ada+${count % 7}@example.com` })) count += 1
    t.is(count, kind === 'reset' ? 120 : 20, kind)
    t.false(await write({ kind, to: mine }), `${kind}: many accounts together cannot flood a mailbox`)
    t.true(await write({ kind }), kind)
  }
  await database('users').where({ id }).update({ emailVerifiedAt: new Date() })
  for (const kind of ['verify', 'reset', 'notice'] as const) t.true(await write({ kind, to: mine }), kind)
})
