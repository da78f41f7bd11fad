import test from 'ava'
import { filtersInWords } from '../../console/lists/filter-words.ts'
import { asLocalInput, fromLocalInput, periodInWords, periodOf } from '../../console/lists/periods.ts'
import {
  failuresQuery,
  filterOfChange,
  isFiltered,
  pathOf,
  readRunFilters,
  runsQuery,
} from '../../console/lists/run-filters.ts'

const agentId = '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10'
const since = '2026-11-21T09:00:00.000Z'
const until = '2026-11-22T09:00:00.000Z'
const now = '2026-11-27T09:00:00.000Z'

for (const [address, query] of [
  [{}, {}],
  [{ status: 'failed' }, { status: 'failed' }],
  [{ status: 'lost', trigger: 'mail' }, {}],
  [{ trigger: 'webhook', agentId }, { trigger: 'webhook', agentId }],
  [{ agentId: '' }, {}],
  [{ agentId: 'x'.repeat(37) }, {}],
  [{ since, until }, { since, until }],
  [{ since: 'yesterday', until: 7 }, {}],
  [{ status: 'failed', grouped: true }, { status: 'failed' }],
] as const)
  test(`the address ${JSON.stringify(address)} asks for the runs ${JSON.stringify(query)}`, (t) => {
    t.deepEqual(runsQuery(readRunFilters(address), {}), query)
    t.is(isFiltered(readRunFilters(address)), Object.keys(query).length > 0)
  })

test('filters that are read from an address are the same when they are read again', (t) => {
  const filters = readRunFilters({ status: 'failed', trigger: 'webhook', agentId, since, until, grouped: true })
  t.deepEqual(readRunFilters({ ...filters }), filters)
})

test('failures are asked for without a status and a trigger, of the same owner', (t) => {
  const filters = readRunFilters({ status: 'queued', trigger: 'webhook', agentId, since })
  t.deepEqual(failuresQuery(filters, { workspaceId: 'w' }), { workspaceId: 'w', agentId, since })
})

test('a change of all runs leaves out those that were accepted after the reader chose them', (t) => {
  t.deepEqual(filterOfChange({ status: 'queued' }, { workspaceId: 'w' }, now), {
    workspaceId: 'w',
    status: 'queued',
    acceptedUntil: now,
  })
  t.deepEqual(filterOfChange({ agentId, since, until }, {}, now), { agentId, acceptedSince: since, acceptedUntil: until })
})

test('a path has the query, escaped, and no question mark without one', (t) => {
  t.is(pathOf('/runs', { since, limit: 100 }), '/runs?since=2026-11-21T09%3A00%3A00.000Z&limit=100')
  t.is(pathOf('/runs', {}), '/runs')
})

test('a period ends now and has its length', (t) => {
  t.deepEqual(periodOf('day', Date.parse(until)), { since, until: undefined })
  t.deepEqual(periodOf('hour', Date.parse(since)), { since: '2026-11-21T08:00:00.000Z', until: undefined })
})

test('a time that is shown in an input is the same time when it is read', (t) => {
  t.is(fromLocalInput(asLocalInput(since)), since)
  t.is(fromLocalInput(asLocalInput(undefined)), undefined)
  t.is(fromLocalInput('tomorrow'), undefined)
})

test('a period is named by the sides that it has', (t) => {
  const at = Date.parse(now)
  t.is(periodInWords({}, at), undefined)
  t.regex(periodInWords({ since }, at) ?? '', /^since 21 Nov, /)
  t.regex(periodInWords({ until }, at) ?? '', /^before 22 Nov, /)
  t.regex(periodInWords({ since, until }, at) ?? '', /^21 Nov, .* to 22 Nov, /)
})

test('filters are told in words, and an unknown agent without a name', (t) => {
  t.is(filtersInWords({}, undefined, Date.parse(now)), '')
  t.is(filtersInWords({ status: 'failed', trigger: 'webhook', agentId }, 'Triage', 0), 'failed · Webhook · Triage')
  t.is(filtersInWords({ agentId }, undefined, 0), 'one agent')
})
