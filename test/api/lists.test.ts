// @promise isolation lists
import test from 'ava'
import { updateAgent } from '../../api/agents.ts'
import * as auth from '../../api/auth.ts'
import * as apiKeys from '../../api/api-keys.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import type * as runs from '../../api/runs.ts'
import { pagingOfOwner } from '../../api/schemas/schemas.ts'
import { routes } from '../../api/routes.ts'
import { recordDeeds } from '../../src/audit/audit-entry.ts'
import { newId } from '../../src/ids.ts'
import { ManifestChange } from '../../src/vault/manifests/manifest-change.ts'
import { DirectToolCall } from '../../src/tools/tool-call.ts'
import { VaultEntry } from '../../src/vault/vault-entry.ts'
import { VaultRefresh } from '../../src/vault/refresh/vault-refresh.ts'
import { ScheduleFire } from '../../src/schedules/fires/schedule-fire.ts'
import { pendingApproval } from '../helpers/approvals.ts'
import { connectedApp } from '../helpers/app-sign-in.ts'
import { call } from '../helpers/client.ts'
import { eventually } from '../helpers/eventually.ts'
import { notificationOf } from '../helpers/notifications.ts'
import { agentOf, connectBadTools, customer, type Person } from '../helpers/people.ts'
import { startPlatform, type Platform } from '../helpers/platform.ts'
import { cancel, start } from '../helpers/runs.ts'
import { sessionOf } from '../helpers/sessions.ts'
import { startSites, type Sites } from '../helpers/sites.ts'
import { inviteTo, memberOf, workspaceOf } from '../helpers/workspaces.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

/** Things of one owner, of which there is one each: lists below a path show what belongs to these. */
interface Place {
  name: string
  someone: Person
  userId: string
  params: { agentId: string; entryId: string; workspaceId: string }
}

interface House {
  platform: Platform
  places: [Place, Place, Place]
}

type Listed = Record<string, unknown>

/** Makes one more row for a list. `round` differs from row to row of a place, `nth` from place to place. */
type Make = (house: House, place: Place, round: number, nth: number) => Promise<unknown>

const run: Make = async (_house, { someone, params }) => {
  const { id } = (await start(someone, { id: params.agentId })).body
  await cancel(someone, id)
}

const someDay = new Date('2026-11-21T12:00:00Z')

/** How a row comes into each list. A list that has no entry here fails. */
const makers: Record<string, Make> = {
  listRuns: run,
  listAgentRuns: run,
  // Each agent has a callbackUrl, so the end of a run makes one.
  listCallbacks: run,
  listCalls: async ({ platform }, { userId, params }) => {
    const now = new Date()
    await DirectToolCall.query(platform.services.database).insert({
      id: newId(),
      ownerId: userId,
      vaultEntryId: params.entryId,
      siteOrigin: '',
      tool: 'act',
      effect: 'once',
      status: 'unknown',
      attempts: 1,
      arguments: '{}',
      plannedAt: now,
      startedAt: now,
      endedAt: now,
    })
  },
  listAgents: (_house, { someone }, round) => agentOf(someone, { name: `Agent ${round}` }),
  listAgentVersions: (_house, { someone, name, params }, round) =>
    call(someone, updateAgent, { params: { agentId: params.agentId }, body: { name: `${name} ${round}` } }),
  listApiKeys: (_house, { someone }, round) =>
    call(someone, apiKeys.createApiKey, { body: { name: `Key ${round}`, scopes: ['read'] } }).then(({ body }) => body),
  listApps: ({ platform }, { userId }) => connectedApp(platform, userId),
  listLogins: (_house, { someone }) =>
    call(someone, auth.login, { body: { email: someone.email, password: someone.password } }).then(({ body }) => body),
  listApprovals: ({ platform }, { userId, params }) =>
    pendingApproval(platform, { ownerId: userId, runId: newId(), agentId: params.agentId }),
  listLedger: ({ platform }, { userId }, round) =>
    platform.services.database.transaction((trx) =>
      platform.services.billing.credits.chargeStep(trx, {
        ownerId: userId,
        runId: newId(),
        step: round + 1,
        tokens: 0,
        credits: 1,
      }),
    ),
  async listPayments({ platform }, { userId }, round) {
    const [id, createdAt] = [newId(), new Date()]
    const of = { purpose: 'credits', status: 'paid', cents: 100, fromCreditCents: 0, credits: 100 + round }
    await platform.services.database('payments').insert({ id, ownerId: userId, createdAt, ...of })
  },
  async listVault({ platform }, { params }) {
    const { database } = platform.services
    const { id: _, ...like } = (await VaultEntry.query(database).findById(params.entryId).throwIfNotFound()).toJSON()
    const id = newId()
    const own = { id, origin: `https://${id}.example.com`, createdAt: new Date() }
    await VaultEntry.query(database).insert({ ...like, ...own } as Partial<VaultEntry>)
  },
  async listRefreshes({ platform }, { params }, generation) {
    const now = new Date()
    const times = { startedAt: now, leaseUntil: now, endedAt: now }
    const row = { id: newId(), entryId: params.entryId, generation, cause: 'expiry', outcome: 'refreshed', ...times }
    await VaultRefresh.query(platform.services.database).insert(row as Partial<VaultRefresh>)
  },
  async listManifestChanges({ platform }, { params }, round) {
    const { database } = platform.services
    const { manifest } = await VaultEntry.query(database).findById(params.entryId).throwIfNotFound()
    const found = { class: 'compatible' as const, differences: [], manifest, fingerprint: String(round) }
    const row = { id: newId(), entryId: params.entryId, ...found, status: 'adopted' as const }
    const now = new Date()
    await ManifestChange.query(database).insert({ ...row, foundAt: now, decidedAt: now })
  },
  async listFires({ platform }, { params }, round, nth) {
    // Of several agents at different minutes, so that a row shows whose it is.
    const nominalAt = new Date(someDay.getTime() + (round * 10 + nth) * 60_000)
    const row = {
      agentId: params.agentId,
      nominalAt,
      outcome: 'missed',
      reason: 'LATE',
      runId: null,
      recordedAt: someDay,
    }
    const { database } = platform.services
    const { ownerId } = await database('agents').where({ id: params.agentId }).first('ownerId')
    await ScheduleFire.query(database).insert({ ...row, ownerId } as Partial<ScheduleFire>)
  },
  listSessions: (_house, { someone }, round) => sessionOf(someone, { title: `Chat ${round}` }),
  listWorkspaces: (_house, { someone }, round) => workspaceOf(someone, `Workspace ${round}`),
  listInvitations: ({ platform }, { someone, params }) => inviteTo(platform, someone, params.workspaceId),
  listMembers: ({ platform }, { params }) => memberOf(platform, params.workspaceId, 'viewer'),
  listNotifications: ({ platform }, { userId }) => notificationOf(platform, userId),
  listAudit: ({ platform }, { userId, params: { agentId: subjectId } }) => {
    const by = { userId, via: 'login' as const }
    const deed = { ownerId: userId, action: 'pauseAgent', subjectKind: 'agent' as const, subjectId, by }
    return platform.services.database.transaction((trx) => recordDeeds(trx, new Date(), deed))
  },
}

/** What admins list and the catalogue belong to nobody, and have tests of their own. */
const lists = routes.filter(
  ({ name, query, access }) =>
    access !== 'admin' &&
    name !== 'listCatalogue' &&
    'cursor' in ((query as { entries?: object } | undefined)?.entries ?? {}),
)

async function openPlace(platform: Platform, sites: Sites, someone: Person, name: string): Promise<Place> {
  const { database } = platform.services
  const { id: userId } = (await call(someone, auth.me)).body
  const known = await VaultEntry.query(database).findOne({ ownerId: userId })
  let entryId = known?.id
  if (!known) entryId = await connectBadTools(someone, sites)
  else await makers['listVault']?.({ platform } as House, { params: { entryId: known.id } } as Place, 0, 0)
  const newest = await VaultEntry.query(database).where({ ownerId: userId }).orderBy('id', 'desc').first()
  const schedule = { trigger: 'scheduled' as const, cron: '0 0 1 1 *', timeZone: 'UTC' }
  const agent = await agentOf(someone, { ...schedule, callbackUrl: 'https://hooks.example.com/endings' })
  const { id: workspaceId } = await workspaceOf(someone)
  return { name, someone, userId, params: { agentId: agent.id, entryId: newest?.id ?? entryId ?? '', workspaceId } }
}

/** Two owners, one of whom has two of what lists are below; and their rows, made in turns, so that they lie mixed. */
const house = forWholeFile(test, 'lists', async (t): Promise<House> => {
  const sites = await startSites(t)
  const platform = await startPlatform(t, { sites })
  const [ada, bob] = [await customer(platform, 'team'), await customer(platform, 'team')]
  const places: Place[] = []
  for (const [name, someone] of [
    ['ada', ada],
    ['bob', bob],
    ['ada again', ada],
  ] as const)
    places.push(await openPlace(platform, sites, someone, name))
  const made = { platform, places } as unknown as House
  const makes = new Set(lists.map(({ name }) => makers[name]).filter((make) => make !== undefined))
  for (const make of makes)
    for (const round of [0, 1, 2]) for (const [nth, place] of places.entries()) await make(made, place, round, nth)
  return made
})

function keyOf({ id, at, userId, joinedAt }: Listed): string {
  const key = id ?? at ?? (userId === undefined ? undefined : JSON.stringify([userId, joinedAt]))
  if (typeof key !== 'string') throw new Error('The rows of the list are not told apart.')
  return key
}

function list(route: AnyRoute, { someone, params }: Place, query: Record<string, string>) {
  const named = Object.entries(params).filter(([name]) => route.path.includes(`{${name}}`))
  return call(someone, route as typeof runs.listRuns, { params: Object.fromEntries(named), query })
}

async function page(route: AnyRoute, place: Place, query: Record<string, string>) {
  const { items, nextCursor } = (await list(route, place, query)).body as { items: Listed[]; nextCursor: string | null }
  return { keys: items.map(keyOf), nextCursor }
}

/** Every row of a place, page by page; as many as there can be at most, lest a wrong cursor leads round in a circle. */
async function walk(route: AnyRoute, place: Place, filter: Record<string, string> = {}): Promise<string[]> {
  const keys: string[] = []
  let query: Record<string, string> = { ...filter, limit: '2' }
  while (keys.length < 100) {
    const { keys: more, nextCursor } = await page(route, place, query)
    keys.push(...more)
    if (nextCursor === null) break
    query = { ...query, cursor: nextCursor }
  }
  return keys
}

test('every list that takes a cursor is among those whose rows are known here', (t) => {
  t.deepEqual(lists.map(({ name }) => name).toSorted(), Object.keys(makers).toSorted())
})

for (const [index, route] of lists.entries())
  test(`${route.name} shows the rows of the one who asks only, with a cursor of its own or of somebody else`, async (t) => {
    const { places } = await house()
    const pages = []
    for (const place of places) pages.push(await page(route, place, { limit: '100' }))
    const [own, ...theirs] = pages.map(({ keys }) => keys) as [string[], ...string[][]]
    t.true(own.length >= 3)
    t.deepEqual(await walk(route, places[0]), own, 'page by page it is the same list')
    // What is not below something of hers, she has in both places.
    const others = places.slice(1).filter(({ someone }) => someone !== places[0].someone || route.path.includes('{'))
    for (const other of others) {
      const foreign = theirs[places.indexOf(other) - 1] ?? []
      t.deepEqual(
        own.filter((key) => foreign.includes(key)),
        [],
      )
      const { nextCursor } = await page(route, other, { limit: '1' })
      const seen = (await page(route, places[0], { limit: '100', cursor: nextCursor ?? '' })).keys
      t.true(seen.length > 0, 'there are rows behind it')
      t.deepEqual(seen, own.slice(-seen.length), `with a cursor of ${other.name}`)
      const next = lists[(index + 1) % lists.length] ?? route
      t.is(
        (await list(next, places[0], { cursor: nextCursor ?? '' })).status,
        400,
        `${next.name} with a cursor of this`,
      )
    }
  })

/** The field of a row that periods are about; `createdAt` where it is not named. */
const timeFields: Record<string, string> = {
  listRuns: 'acceptedAt',
  listAgentRuns: 'acceptedAt',
  listApprovals: 'requestedAt',
  listCalls: 'startedAt',
  listRefreshes: 'startedAt',
  listManifestChanges: 'foundAt',
  listAgentVersions: 'at',
  listFires: 'at',
  listMembers: 'joinedAt',
}

for (const route of lists)
  test(`${route.name} in the order of arrival has every row once, and of a period those of that period`, async (t) => {
    const {
      places: [place],
    } = await house()
    const { items } = (await list(route, place, { limit: '100' })).body as { items: Listed[] }
    const keys: string[] = []
    let query: Record<string, string> = { order: 'arrival', limit: '2' }
    // Transactions of other tests may hold rows back.
    await eventually(30, `${route.name} has shown all`, async () => {
      for (let isEmpty = false; !isEmpty;) {
        const { keys: more, nextCursor } = await page(route, place, query)
        keys.push(...more)
        query = { ...query, limit: '100', cursor: nextCursor ?? 'none' }
        isEmpty = more.length === 0
      }
      return keys.length >= items.length || undefined
    })
    t.deepEqual(keys.toSorted(), items.map(keyOf).toSorted())
    const { status, failure } = await list(route, place, { cursor: query['cursor'] ?? '' })
    t.is(status, 400)
    t.is(failure.error, 'The cursor was issued for a different order of this list.')

    const timeIn = (row: Listed) => String(row[timeFields[route.name] ?? 'createdAt'])
    const [first = '', second = '', ...later] = [...new Set(items.map(timeIn))].toSorted()
    const last = later.at(-1) ?? second
    t.true(first < second, 'there are several times')
    const within = items.filter((row) => timeIn(row) >= second && timeIn(row) < last).map(keyOf)
    t.deepEqual(await walk(route, place, { since: second, until: last }), within)
    t.deepEqual(await walk(route, place, { until: first }), [])
  })

/** By the list or, where it is the same for all, by the filter: a value that no row here has. */
const ofNoRow: Record<string, string> = {
  status: 'queued',
  trigger: 'webhook',
  outcome: 'ran',
  kind: 'credential_dead',
  'listLedger kind': 'refund',
  active: 'false',
  'listCallbacks status': 'delivered',
  'listApprovals status': 'expired',
  sessionId: newId(),
  action: 'suspendHost',
  subjectId: newId(),
  actorId: newId(),
}

test('a filter holds on later pages, and beside a cursor of somebody else', async (t) => {
  const {
    places: [place, other],
  } = await house()
  const filters = lists.flatMap((route) => {
    const { entries } = route.query as unknown as { entries: object }
    // Runs of one agent are in the order of their sequence: a list of its own. All notifications here are unread.
    return Object.keys(entries).flatMap((name) =>
      name in pagingOfOwner || name === 'agentId' || name === 'unread' ? [] : [{ route, name }],
    )
  })
  t.true(filters.length >= 8)
  for (const { route, name } of filters) {
    const value = ofNoRow[`${route.name} ${name}`] ?? ofNoRow[name] ?? `no value is known for ${name}`
    const { nextCursor } = await page(route, other, { limit: '1' })
    const { keys } = await page(route, place, { [name]: value, cursor: nextCursor ?? '' })
    t.deepEqual(keys, [], `${route.name} by ${name}`)
  }
})
