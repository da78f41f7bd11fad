import type { AnyRoute } from '../../../api/route/route.ts'
import { routes } from '../../../api/routes.ts'
import { newId } from '../../../src/ids.ts'
import { writeCursor, type ListName } from '../../../src/database/cursor.ts'
import { paramsOf, type Stage } from '../stage.ts'
import { fill, pathsIn, sendTo } from './request.ts'
import type { Refusals } from './unharmed.ts'

const unknownMembers = [
  'nonsense=1',
  'constructor=1',
  '__proto__=1',
  'toString=1',
  '=1',
  '%00=1',
  'limit[]=1',
  'limit[a]=1',
]

const oddTimes = [
  '',
  'now',
  '2026-11-21',
  '2026-11-21T09:00:00',
  '2026-11-21%2009:00:00Z',
  '2026-11-21T09:00Z',
  '2026-02-30T09:00:00Z',
  '2026-13-01T09:00:00Z',
  '2026-11-21T24:00:00Z',
  '2026-11-21T09:60:00Z',
  '2026-11-21T09:00:00+01:00',
  '2026-11-21T09:00:00%2B24:00',
  '2026-11-21T09:00:00.Z',
  '1763715600000',
  '2026-11-21T09:00:00Z%00',
  '%2B002026-11-21T09:00:00Z',
  'Sat,%2021%20Nov%202026%2009:00:00%20GMT',
]

const oddByMember: Record<string, string[]> = {
  since: [...oddTimes.map((time) => `since=${time}`), 'since=2026-11-21T09:00:00Z&since=2026-11-21T09:00:00Z'],
  until: oddTimes.map((time) => `until=${time}`),
  limit: ['1001', '0', '-1', '1e3', '1.5', '', '%20', '5%20', '0x10', '%D9%A1', 'NaN', 'Infinity', '99999', '%00']
    .concat(['%E0%A4%A', '1'.repeat(400), '1&limit=2'])
    .map((limit) => `limit=${limit}`),
  order: ['order=', 'order=oldest', 'order=ARRIVAL', 'order=arrival&order=newest', 'order=%00'],
  cursor: [
    'cursor=',
    'cursor=abc',
    'cursor=%00',
    'cursor=a&cursor=b',
    `cursor=${Buffer.from("' or 1=1 --").toString('base64url')}`,
    `cursor=${Buffer.from(`${newId()}x`).toString('base64')}`,
    `cursor=${Buffer.from(newId()).toString('base64url')}x`,
    `cursor=${writeCursor('runs', 'zzz')}`,
    `cursor=${Buffer.from(`${newId()}:${newId()}`).toString('base64url')}`,
    `cursor=${'a'.repeat(300)}`,
  ],
  status: ['status=nonsense', 'status=', 'status=queued&status=running', 'status=queued%00'],
  trigger: ['trigger=nonsense', 'trigger=', 'trigger=Manual'],
  ...Object.fromEntries(
    ['agentId', 'sessionId', 'workspaceId', 'actorId', 'ownerId'].map((name) => [
      name,
      ['', '%00', 'a'.repeat(65), `a&${name}=b`, '%ED%A0%80%00', 'abc', `${newId()}x`, `{${newId()}}`, 'me'].map(
        (value) => `${name}=${value}`,
      ),
    ]),
  ),
  after: ['after=-1', 'after=x', 'after=1e3', 'after=', 'after=2147483648', 'after=1&after=2', 'after=%00'],
}

const ask = (stage: Stage, route: AnyRoute, query: string) =>
  sendTo(stage, route, `${fill(route.path, paramsOf(route, stage.params))}?${query}`)

/**
 * Asks for all members at once, each odd in its first way, then in its second and so on. Those that a refusal does not
 * name as wrong come back, to be asked for alone.
 */
async function notNamed(stage: Stage, route: AnyRoute, odd: string[][]): Promise<string[]> {
  const left: string[] = []
  for (let way = 0; way < Math.max(0, ...odd.map(({ length }) => length)); way += 1) {
    const queries = odd.flatMap((ways) => ways[way] ?? [])
    const { text } = await ask(stage, route, queries.join('&'))
    const named = pathsIn(text)
    left.push(...queries.filter((query) => !named.has(query.split('=', 1)[0] ?? '')))
  }
  return left
}

/** Every route that gives out cursors, and the list that it shows. */
const listOf: Record<string, ListName> = {
  listAgents: 'agents',
  listAudit: 'audit',
  listAuditOfAll: 'audit',
  listUsers: 'users',
  listAllWorkspaces: 'all-workspaces',
  listAgentRuns: 'agent-runs',
  listApiKeys: 'keys',
  listApprovals: 'approvals',
  listCallbacks: 'callbacks',
  listCalls: 'calls',
  listFires: 'fires',
  listLedger: 'ledger',
  listPayments: 'payments',
  listManifestChanges: 'changes',
  listLogins: 'logins',
  listOutbox: 'outbox',
  listInvitations: 'invitations',
  listMembers: 'members',
  listWorkspaces: 'workspaces',
  listNotifications: 'notifications',
  listRefreshes: 'refreshes',
  listRuns: 'runs',
  listRunsOfUser: 'runs-of-user',
  listSessions: 'sessions',
  listVault: 'vault',
}

/** What is asked with queries that are refused. */
export const queries: Refusals = {
  'a query that is not understood is refused, on every route that takes one': async (t, stage) => {
    const problems: string[] = []
    for (const route of routes.filter(({ query }) => query)) {
      const odd = Object.keys((route.query as { entries: object }).entries).map((member) => oddByMember[member] ?? [])
      const queries = [...unknownMembers, 'status[]=queued', 'trigger[]=manual', ...(await notNamed(stage, route, odd))]
      for (const query of queries) {
        const { status, code } = await ask(stage, route, query)
        if (code !== 'VALIDATION_ERROR') problems.push(`${route.name}?${query.slice(0, 60)}: ${status} ${code}`)
      }
    }
    t.deepEqual(problems, [])
  },

  'a cursor is taken by the list that gave it out, and by no other': async (t, stage) => {
    const lists = [...new Set(Object.values(listOf))]
    const taken: Record<string, ListName[]> = {}
    for (const route of routes.filter(({ query }) => query && 'cursor' in (query as { entries: object }).entries)) {
      const accepts = async (list: ListName) => {
        const nextCursor = writeCursor(list, list === 'fires' || list === 'agent-runs' ? '1' : newId())
        const { status, code } = await ask(stage, route, `cursor=${nextCursor}`)
        if (status !== 200) t.is(code, 'VALIDATION_ERROR')
        return status === 200 ? [list] : []
      }
      taken[route.name] = (await Promise.all(lists.map(accepts))).flat()
    }
    t.deepEqual(taken, Object.fromEntries(Object.entries(listOf).map(([route, list]) => [route, [list]])))
  },
}
