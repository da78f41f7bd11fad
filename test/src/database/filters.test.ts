import test from 'ava'
import { ledgerEntryKinds } from '../../../src/billing/ledger-entry.ts'
import { newId } from '../../../src/ids.ts'
import type { Services } from '../../../src/services.ts'
import { agentOf, customer } from '../../helpers/people.ts'
import { startPlatform } from '../../helpers/platform.ts'
import { userIdOf } from '../../helpers/workspaces.ts'
import { forWholeFile } from '../../helpers/whole-file.ts'
import { looksAt } from './looks.ts'

/* That no filter of a list reads a large table as a whole, however rare what it asks for is. */

const rowsOfOthers = 20_000

/** UUIDs of version 7 in the order of `n`, older than those of now. */
const idOf = (n: string) => `(lpad(to_hex(1700000000000 + ${n}), 12, '0') || '7000800000000000000a')::uuid`

/** A table that is full of what the filters do not ask for. */
const fillings = {
  audit_entries: `
    insert into audit_entries (id, owner_id, created_at, action, subject_kind, subject_id, actor_id, via, outcome)
    select ${idOf('n')}, :ownerId, now(), 'updateAgent', 'agent', :other, :other, 'login', 'done' from generate_series(1, :rows) n`,
  notifications: `
    insert into notifications (id, owner_id, subject_id, created_at, read_at, kind, dedupe_key, mail_status, console_page, title, message)
    select ${idOf('n')}, :ownerId, :other, now(), now(), 'agent_failing', n::text, 'none', 'x', 'x', 'x' from generate_series(1, :rows) n`,
  approvals: `
    insert into approvals (id, owner_id, call_id, run_id, agent_id, requested_at, expires_at, decided_at, decided_by, status, site_origin, tool,
                           arguments, arguments_hash)
    select ${idOf('n')}, :ownerId, ${idOf('n')}, :other, :other, now(), now(), now(), :other, 'approved', 'x', 'x', '{}', 'x'
      from generate_series(1, :rows) n`,
  ledger_entries: `
    insert into ledger_entries (id, owner_id, kind, credits, balance_after, run_id, step, created_at)
    select ${idOf('n')}, :ownerId, 'step', -1, 0, ${idOf('n')}, 1, now() from generate_series(1, :rows) n`,
  logins: `
    insert into logins (id, user_id, created_at, revoked_at, last_used_at)
    select ${idOf('n')}, :ownerId, now(), now(), now() from generate_series(1, :rows) n`,
  api_keys: `
    insert into api_keys (id, user_id, created_at, revoked_at, name, key_hash, scopes)
    select ${idOf('n')}, :ownerId, now(), now(), 'x', n::text, '{read}' from generate_series(1, :rows) n`,
} satisfies Record<string, string>
type Table = keyof typeof fillings

const openFilled = forWholeFile(test, 'filters', async (t) => {
  const platform = await startPlatform(t)
  const someone = await customer(platform)
  const agent = await agentOf(someone)
  const ownerId = await userIdOf(someone)
  const { database } = platform.services
  for (const [table, filling] of Object.entries(fillings)) {
    await database.raw(filling, { ownerId, other: newId(), rows: rowsOfOthers })
    await database.raw(`vacuum (analyze) ${table}`)
  }
  return { ...platform, ownerId, agentId: agent.id }
})

interface Asker {
  services: Services
  ownerId: string
  agentId: string
}

const limit = 20
const rare = newId()
const caller = (ownerId: string) =>
  ({ userId: ownerId, via: 'login', loginId: rare, reach: { home: ownerId } }) as never

const asked: [what: string, table: Table, ask: (asker: Asker) => Promise<unknown>][] = [
  ['an action', 'audit_entries', ({ services, ownerId }) => services.audit.list(ownerId, { limit, action: 'rare' })],
  ['a subject', 'audit_entries', ({ services, ownerId }) => services.audit.list(ownerId, { limit, subjectId: rare })],
  ['an actor', 'audit_entries', ({ services, ownerId }) => services.audit.list(ownerId, { limit, actorId: rare })],
  ['an action here', 'audit_entries', ({ services }) => services.audit.all({ limit, action: 'rare' })],
  ['a subject here', 'audit_entries', ({ services }) => services.audit.all({ limit, subjectId: rare })],
  ['an actor here', 'audit_entries', ({ services }) => services.audit.all({ limit, actorId: rare })],
  [
    'an action of somebody',
    'audit_entries',
    ({ services, ownerId }) => services.audit.list(ownerId, { limit, action: 'updateAgent', actorId: rare }),
  ],
  [
    'a kind',
    'notifications',
    ({ services, ownerId }) => services.notifications.list(ownerId, { limit, kind: 'top_up_off' }),
  ],
  [
    'unread ones',
    'notifications',
    ({ services, ownerId }) => services.notifications.list(ownerId, { limit, unread: true }),
  ],
  [
    'unread ones of a kind',
    'notifications',
    ({ services, ownerId }) => services.notifications.list(ownerId, { limit, unread: true, kind: 'agent_failing' }),
  ],
  ['a status', 'approvals', ({ services, ownerId }) => services.approvals.list(ownerId, { limit, status: 'pending' })],
  ['an agent', 'approvals', ({ services, ownerId, agentId }) => services.approvals.list(ownerId, { limit, agentId })],
  ['a session', 'approvals', ({ services, ownerId }) => services.approvals.list(ownerId, { limit, sessionId: rare })],
  [
    'a status of an agent',
    'approvals',
    ({ services, ownerId, agentId }) => services.approvals.list(ownerId, { limit, agentId, status: 'approved' }),
  ],
  ...ledgerEntryKinds
    .filter((kind) => kind !== 'step')
    .map((kind): (typeof asked)[number] => [
      `entries of the kind ${kind}`,
      'ledger_entries',
      ({ services, ownerId }) => services.billing.credits.ledger(ownerId, { limit, kind }),
    ]),
  ['living ones', 'logins', ({ services, ownerId }) => services.users.loginList.list(caller(ownerId), { limit })],
  ['living ones', 'api_keys', ({ services, ownerId }) => services.users.apiKeys.list(caller(ownerId), { limit })],
]

for (const [what, table, ask] of asked)
  test.serial(`a list of ${table} looks at few rows for ${what}`, async (t) => {
    const filled = await openFilled()
    const looks = await looksAt(filled.services.database, table, () => ask(filled))
    t.true(looks < 200, `${looks} rows`)
  })
