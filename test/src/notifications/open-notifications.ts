import type { ExecutionContext } from 'ava'
import { createDatabase } from '../../../src/database.ts'
import { newId } from '../../../src/ids.ts'
import { createLease } from '../../../src/lease.ts'
import { createLogger } from '../../../src/logger.ts'
import { createMails } from '../../../src/notifications/mails.ts'
import { Notification } from '../../../src/notifications/notification.ts'
import { createNotifications, type Telling } from '../../../src/notifications/notifications.ts'
import { createUsers } from '../../../src/users/users.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { cheapCost } from '../../helpers/passwords.ts'
import { movableClock, password, testConfig } from '../users/open-users.ts'

/** Notifications over a fresh database, with a clock to move; mailed to `smtpUrl` if it is given. */
export async function openNotifications(t: ExecutionContext, smtpUrl = '') {
  const { url } = await createTestDatabase(t)
  const logs: string[] = []
  const logger = createLogger('debug', 'test', { write: (line: string) => void logs.push(line) })
  // From now on: a process that a test starts lives in the real time.
  const clock = movableClock(new Date().toISOString())

  /** One process: its own connections, and its own idea of where the mail server is. */
  function openProcess(mailServer = smtpUrl) {
    const mail = { SMTP_URL: mailServer, MAIL_FROM: 'Switchyard <no-reply@example.com>', SMTP_TIMEOUT_SECONDS: '1' }
    const config = testConfig(url, { ...mail, BASE_URL: 'https://switchyard.example.com' })
    const database = createDatabase(config, logger)
    t.teardown(() => database.destroy())
    const base = { database, clock, config, logger }
    const notifications = createNotifications(base)
    const mails = createMails({ ...base, lease: createLease(base) })
    return { ...base, notifications, mails, users: createUsers({ ...base, passwordCost: cheapCost }) }
  }

  const first = openProcess()
  /** So many seconds go by: on the clock of the processes, and for the leases, which go by that of Postgres. */
  async function pass(seconds: number): Promise<void> {
    clock.forward(seconds)
    await first.database.raw('update leases set expires_at = expires_at - make_interval(secs => ?)', [seconds])
  }
  const owner = async (email: string) => (await first.users.register({ email, password })).id
  const tell = (ownerId: string, fields: Partial<Telling> = {}, process = first) =>
    process.database.transaction((trx) => process.notifications.tell(trx, { ...telling, ownerId, ...fields }))
  /** Of all notifications, oldest first. */
  const rows = () => Notification.query(first.database).orderBy('id')
  return { ...first, url, logs, openProcess, pass, owner, tell, rows, ada: await owner('ada@example.com') }
}

export const telling: Omit<Telling, 'ownerId'> = {
  kind: 'credential_dead',
  subjectId: newId(),
  key: '1',
  title: 'Issue tracker has to be connected again',
  message: 'The site refused the token.\n\nRuns wait for a day.',
}
