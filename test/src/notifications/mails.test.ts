// @promise notifications
import test, { type ExecutionContext } from 'ava'
import type { Database } from '../../../src/database/database.ts'
import { newId } from '../../../src/ids.ts'
import { eventually } from '../../helpers/eventually.ts'
import { startMailServer, type Arrived } from '../../helpers/mail-server.ts'
import { notificationsForFile, telling } from './open-notifications.ts'

const openNotifications = notificationsForFile(test)

const minutes = (count: number): number => count * 60

async function openMails(t: ExecutionContext) {
  const server = await startMailServer(t)
  return { server, ...(await openNotifications(t, server.url)) }
}

/** Name and value of each header field, unfolded. */
const headersOf = ({ raw }: Arrived): [string, string][] =>
  (raw.split('\r\n\r\n')[0] ?? '')
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)])
const header = (mail: Arrived | undefined, name: string): string[] =>
  mail ? headersOf(mail).flatMap(([one, value]) => (one === name ? [value] : [])) : []

test.serial('what an owner was told is mailed once, to her address, with a link to its page', async (t) => {
  const { server, tell, ada, mails, rows, clock } = await openMails(t)
  await tell(ada)
  await tell(ada)
  await mails.send()
  t.is(server.arrived.length, 1)
  const [mail] = server.arrived
  t.deepEqual(mail?.recipients, ['ada@example.com'])
  t.deepEqual(header(mail, 'subject'), [telling.title])
  t.deepEqual(header(mail, 'from'), ['Switchyard <no-reply@example.com>'])
  t.deepEqual(header(mail, 'to'), ['ada@example.com'])
  t.deepEqual(header(mail, 'auto-submitted'), ['auto-generated'])
  t.regex(header(mail, 'content-type')[0] ?? '', /^text\/plain/)
  const body = mail?.raw.slice(mail.raw.indexOf('\r\n\r\n') + 4).trimEnd()
  const link = 'Open in the console: https://switchyard.example.com/console/sites/an-entry'
  t.is(body, `${link}\n\n${[telling.message].flat().join('\n')}`.replaceAll('\n', '\r\n'))
  t.like((await rows())[0], { mailStatus: 'sent', mailAttempts: 1, mailedAt: clock.now(), mailNextAt: null })
  clock.forward(minutes(60))
  await mails.send()
  t.is(server.connections(), 1)
})

/** A workspace that the user pays for. */
async function workspaceOf(database: Database, payerId: string): Promise<string> {
  const [id, createdAt] = [newId(), new Date()]
  await database('owners').insert({ id, createdAt, kind: 'workspace' })
  await database('workspaces').insert({ id, createdAt, payerId, name: 'Support' })
  return id
}

test.serial('what a workspace is told is mailed to whoever pays for it', async (t) => {
  const { server, tell, ada, owner, mails, database } = await openMails(t)
  await owner('grace@example.com')
  const id = await workspaceOf(database, ada)
  await tell(id)
  await mails.send()
  t.deepEqual(
    server.arrived.map(({ recipients }) => recipients),
    [['ada@example.com']],
  )
})

test.serial('a title cannot add headers, recipients or a body', async (t) => {
  const { server, tell, ada, mails } = await openMails(t)
  const title = 'Hello\r\nBcc: eve@example.com\nTo: eve@example.com\r\n\r\nNot the body\u2028<eve@example.com>'
  await tell(ada, { title, message: ['The body.', '.', 'MAIL FROM:<eve@example.com>'] })
  await mails.send()
  t.is(server.arrived.length, 1)
  const [mail] = server.arrived
  t.deepEqual(mail?.recipients, ['ada@example.com'])
  t.deepEqual(header(mail, 'bcc'), [])
  t.deepEqual(header(mail, 'to'), ['ada@example.com'])
  t.deepEqual(header(mail, 'subject'), [
    'Hello Bcc: eve@example.com To: eve@example.com Not the body <eve@example.com>',
  ])
  t.true(mail?.raw.includes('an-entry\r\n\r\nThe body.\r\n.\r\nMAIL FROM:<eve@example.com>\r\n'))
})

test.serial('a mail that is refused for the moment is tried again later, and does not hold up others', async (t) => {
  const { server, tell, ada, owner, mails, rows, clock } = await openMails(t)
  await tell(ada)
  server.refuse({ at: 'RCPT TO', status: 450 })
  await tell(await owner('grace@example.com'))
  await mails.send()
  t.is(server.connections(), 2)
  server.refuse(undefined)
  clock.forward(minutes(5) - 1)
  await mails.send()
  t.is(server.connections(), 2)
  clock.forward(1)
  await mails.send()
  const recipients = server.arrived.flatMap((mail) => mail.recipients)
  t.deepEqual(recipients.toSorted(), ['ada@example.com', 'grace@example.com'])
  t.is(server.arrived.length, 2)
  for (const row of await rows()) t.like(row, { mailStatus: 'sent', mailAttempts: 2 })
})

test.serial('a mail that a policy refuses, which is not about its address, is tried again', async (t) => {
  const { server, tell, ada, mails, rows, clock } = await openMails(t)
  await tell(ada)
  for (const words of ['5.7.1 Relay access denied', '5.4.5 Daily user sending limit exceeded']) {
    server.refuse({ at: 'RCPT TO', status: 550, words })
    await mails.send()
    t.like((await rows())[0], { mailStatus: 'pending' }, words)
    clock.forward(minutes(60))
  }
  server.refuse({ at: 'RCPT TO', status: 550, words: '5.1.1 No such user' })
  await mails.send()
  t.like((await rows())[0], { mailStatus: 'failed', mailAttempts: 3 })
})

test.serial('a mail that is refused for good, at any point, is not tried again', async (t) => {
  const { server, tell, ada, mails, rows, clock, logs } = await openMails(t)
  for (const at of ['RCPT TO', 'DATA'] as const) {
    await tell(ada, { key: at })
    server.refuse({ at, status: 550 })
    await mails.send()
  }
  server.refuse(undefined)
  for (const pause of [minutes(5), minutes(60 * 24)]) {
    clock.forward(pause)
    await mails.send()
  }
  t.is(server.connections(), 2)
  for (const row of await rows()) t.like(row, { mailStatus: 'failed', mailAttempts: 1, mailNextAt: null })
  t.is(logs.filter((line) => line.includes('"msg":"mail not sent"') && line.includes('550')).length, 2)
})

test.serial('a server that falls silent costs one timeout, and the mails come later', async (t) => {
  const { server, tell, ada, mails, rows, clock } = await openMails(t)
  await tell(ada)
  await tell(ada, { key: '2' })
  server.refuse({ at: 'DATA', status: 'none' })
  await mails.send()
  t.is(server.connections(), 1)
  const attempts = (await rows()).map(({ mailAttempts }) => mailAttempts)
  t.deepEqual(attempts, [1, 0])
  server.refuse(undefined)
  clock.forward(minutes(5))
  await mails.send()
  t.true((await rows()).every(({ mailStatus }) => mailStatus === 'sent'))
})

test.serial('while the server is away the attempts grow rarer, and end after a day', async (t) => {
  const { server, tell, ada, mails, rows, clock, logs } = await openMails(t)
  await server.away()
  await tell(ada)
  const began = clock.now().getTime()
  /** Sends at so many minutes after the telling, and a second before; which of them are attempts. */
  async function attemptsAround(minute: number): Promise<number[]> {
    const made: number[] = []
    for (const second of [minute * 60 - 1, minute * 60].filter((one) => one >= 0)) {
      clock.forward(second - (clock.now().getTime() - began) / 1000)
      const before = (await rows())[0]?.mailAttempts
      await mails.send()
      if ((await rows())[0]?.mailAttempts !== before) made.push(second / 60)
    }
    return made
  }
  const expected = [0, 5, 15, 35, 75, 155, 315, 555, 795, 1035, 1275]
  const made: number[] = []
  for (const minute of expected) made.push(...(await attemptsAround(minute)))
  t.deepEqual(made, expected)
  clock.forward(60 * (1440 - 1275) - 1)
  await mails.send()
  t.like((await rows())[0], { mailStatus: 'pending', mailAttempts: expected.length })
  await server.back()
  clock.forward(1)
  await mails.send()
  t.is(server.connections(), 0)
  t.like((await rows())[0], { mailStatus: 'failed', mailNextAt: null })
  t.true(logs.some((line) => line.includes('gave up on emails that were a day old')))
})

test.serial('without a mail server nothing is mailed, nor afterwards when there is one', async (t) => {
  const server = await startMailServer(t)
  const { tell, ada, mails, rows, openProcess } = await openNotifications(t)
  await tell(ada)
  await mails.send()
  const configured = openProcess(server.url)
  await configured.mails.send()
  t.is(server.connections(), 0)
  await tell(ada, { key: '2' }, configured)
  await configured.mails.send()
  t.is(server.arrived.length, 1)
  t.deepEqual(
    (await rows()).map(({ mailStatus }) => mailStatus),
    ['none', 'sent'],
  )
})

test.serial('several processes that send at the same time send each mail once', async (t) => {
  const { server, tell, ada, mails, openProcess, pass } = await openMails(t)
  for (let key = 0; key < 30; key += 1) await tell(ada, { key: String(key) })
  const others = [openProcess(), openProcess()]
  const round = () => Promise.all([mails, ...others.map((one) => one.mails)].map((one) => one.send()))
  await round()
  t.is(server.arrived.length, 20)
  // Whoever held the lease is gone.
  await pass(minutes(4))
  await round()
  await round()
  t.is(new Set(server.arrived.map((mail) => header(mail, 'message-id')[0])).size, 30)
  t.is(server.arrived.length, 30)
})

test.serial('a process that dies while it sends does not make the mail come twice within minutes', async (t) => {
  const { server, openProcess, tell, ada, mails, rows, clock, pass } = await openMails(t)
  await tell(ada)
  server.refuse({ at: 'DATA', status: 'none' })
  const dying = openProcess()
  dying.mails.send().catch(() => undefined)
  await eventually(20, 'it sends', () => server.arrived.length || undefined)
  // As if it were dead: nothing of it reaches the record any more.
  await dying.database.destroy()
  const claimedUntil = (await rows())[0]?.mailNextAt?.getTime() ?? 0
  server.refuse(undefined)

  await pass((claimedUntil - clock.now().getTime()) / 1000 - 1)
  await mails.send()
  t.is(server.arrived.length, 1)
  await pass(1)
  await mails.send()
  t.is(server.arrived.length, 2)
  t.deepEqual(header(server.arrived[1], 'message-id'), header(server.arrived[0], 'message-id'))
  t.like((await rows())[0], { mailStatus: 'sent', mailAttempts: 2 })
})

test.serial('an unverified address is mailed nothing, an account a hundred of each kind a day', async (t) => {
  const { tell, owner, ada, rows, database, clock } = await openMails(t)
  const other = await owner('grace@example.com')
  await database('users').where({ id: other }).update({ emailVerifiedAt: null })
  for (let key = 0; key < 100; key += 1) await tell(other, { key: String(key) })
  for (let key = 0; key < 101; key += 1) await tell(ada, { key: String(key) })
  const all = await rows()
  t.is(all.length, 201, 'all are listed')
  t.true(all.every(({ ownerId, mailStatus }) => ownerId !== other || mailStatus === 'none'))
  t.is(all.filter(({ mailStatus }) => mailStatus === 'pending').length, 100)
  await database('users').where({ id: other }).update({ emailVerifiedAt: clock.now() })
  await tell(other, { key: 'verified' })
  t.is((await rows()).at(-1)?.mailStatus, 'pending', 'what was not mailed does not count')
  const id = await workspaceOf(database, ada)
  await tell(id, { key: 'of a workspace' })
  t.is((await rows()).at(-1)?.mailStatus, 'none', 'what she pays for counts together')
  await tell(await owner('alan@example.com'))
  t.is((await rows()).at(-1)?.mailStatus, 'pending', 'each account counts by itself')
  for (const kind of ['agent_paused', 'approval_requested'] as const) {
    await tell(ada, { kind, key: 'still mailed' })
    t.like((await rows()).at(-1), { kind, mailStatus: 'pending' })
  }
  clock.forward(2 * 86_400)
  await tell(ada, { key: 'the next day' })
  t.is((await rows()).at(-1)?.mailStatus, 'pending')
})
