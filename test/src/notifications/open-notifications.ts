import { createAllowances } from '../../../src/billing/allowances.ts'
import type { ExecutionContext, TestFn } from 'ava'
import { createDatabase, type Database } from '../../../src/database/database.ts'
import { newId } from '../../../src/ids.ts'
import { createLease } from '../../../src/database/lease.ts'
import { createLogger } from '../../../src/logger.ts'
import { createMetrics } from '../../../src/metrics/metrics.ts'
import { createMails } from '../../../src/notifications/mails.ts'
import { Notification } from '../../../src/notifications/notification.ts'
import { createNotifications, type NewNotification } from '../../../src/notifications/notifications.ts'
import { createOutbox } from '../../../src/outbox/outbox.ts'
import { createDue } from '../../../src/runs/due.ts'
import { createRateLimits } from '../../../src/rate-limit.ts'
import { createSealing } from '../../../src/secrets/sealing.ts'
import { createUsers } from '../../../src/users/users.ts'
import { movableClock } from '../../helpers/clock.ts'
import { testConfig } from '../../helpers/config.ts'
import { createTestDatabase } from '../../helpers/database.ts'
import { cheapCost } from '../../helpers/passwords.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { password } from '../users/open-users.ts'

/**
 * Opens, for each test of a file, notifications with a clock to move; mailed to `smtpUrl` if it is given. All share a
 * database, which each test empties: they have to follow one another.
 */
export function notificationsForFile(test: TestFn) {
  const base = forWholeFile(test, 'notifications', async (t) => {
    const { url } = await createTestDatabase(t)
    const database = createDatabase(testConfig(url), createLogger('silent', 'test'))
    t.teardown(() => database.destroy())
    return { url, database }
  })
  return async (t: ExecutionContext, smtpUrl = '') => openNotifications(t, await base(), smtpUrl)
}

interface Base {
  url: string
  database: Database
}

async function openNotifications(t: ExecutionContext, { url, database: shared }: Base, smtpUrl: string) {
  await shared.raw('truncate owners, users, leases, outbox_mails cascade')
  const logs: string[] = []
  const logger = createLogger('debug', 'test', { write: (line: string) => void logs.push(line) })
  // From now on: a process that a test starts lives in the real time.
  const clock = movableClock(new Date().toISOString())

  /** One process: its own idea of where the mail server is, and its own connections unless they are given. */
  function openProcess(mailServer = smtpUrl, given?: Database) {
    const mail = { SMTP_URL: mailServer, MAIL_FROM: 'Switchyard <no-reply@example.com>', SMTP_TIMEOUT_SECONDS: '3' }
    const config = testConfig(url, { ...mail, BASE_URL: 'https://switchyard.example.com' })
    const database = given ?? createDatabase(config, logger)
    if (!given) t.teardown(() => database.destroy())
    const base = { database, clock, config, logger, metrics: createMetrics({ config }) }
    const notifications = createNotifications(base)
    const sealing = createSealing(config.vaultKeys)
    const outbox = createOutbox({ ...base, sealing })
    const mails = createMails({ ...base, outbox, lease: createLease(base) })
    return {
      ...base,
      notifications,
      outbox,
      mails,
      users: createUsers({
        ...base,
        due: createDue(base),
        allowances: createAllowances(base),
        outbox,
        sealing,
        rateLimits: createRateLimits(base),
        passwordCost: cheapCost,
      }),
    }
  }

  const first = openProcess(smtpUrl, shared)
  /** So many seconds go by: on the clock of the processes, and for the leases, which go by that of Postgres. */
  async function pass(seconds: number): Promise<void> {
    clock.forward(seconds)
    await shared.raw('update leases set expires_at = expires_at - make_interval(secs => ?)', [seconds])
  }
  async function owner(email: string): Promise<string> {
    const { id } = await first.users.register({ email, password })
    // Only notifications are mailed here.
    await shared('outbox_mails').delete()
    await shared('users').where({ id }).update({ emailVerifiedAt: clock.now() })
    return id
  }
  const tell = (ownerId: string, fields: Partial<NewNotification> = {}, process = first) =>
    process.database.transaction((trx) => process.notifications.notify(trx, { ...telling, ownerId, ...fields }))
  /** Of all notifications, oldest first. */
  const rows = () => Notification.query(shared).orderBy('id')
  return { ...first, url, logs, openProcess, pass, owner, tell, rows, ada: await owner('ada@example.com') }
}

export const telling: Omit<NewNotification, 'ownerId'> = {
  kind: 'credential_dead',
  subjectId: newId(),
  key: '1',
  consolePage: '/console/sites/an-entry',
  title: 'Issue tracker has to be connected again',
  message: ['The site refused the token.', '', 'Runs wait for a day.'],
}
