import test from 'ava'
import * as agents from '../../api/agents.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import { routes } from '../../api/routes.ts'
import type * as runs from '../../api/runs.ts'
import { pagingOfOwner } from '../../api/schemas/schemas.ts'
import { call } from '../helpers/client.ts'
import { agentOf, customer } from '../helpers/people.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { send } from './raw-http.ts'
import { allowedTo, makeThings, openStage, paramsOf, secretOf, validBodies } from './stage.ts'

/*
 * What attackers do to find and change the things of others, besides what other tests do: swapping identifiers,
 * acting above a role, forging cursors and paths, and looking for secrets.
 */

const open = forWholeFile(test, 'the battery of authorization', async (t) => {
  const stage = await openStage(t)
  const stranger = await customer(stage.platform, 'team')
  const theirs = await makeThings(stage.platform, stranger, stage.sites)
  return { stage, stranger, theirs }
})

const entriesOf = (schema: unknown): string[] =>
  Object.keys((schema as { entries?: object } | undefined)?.entries ?? {})

/** What an identifier in a body could be, so that a query by it finds more than one thing. */
const oddIds = (real: string): unknown[] => [
  [real],
  [real, real],
  { id: real },
  { $ne: null },
  { raw: 'true' },
  true,
  0,
  1,
  '1 OR 1=1',
  `${real}' OR '1'='1`,
  '%',
  '',
]

test('an identifier in a body that is a list, an object, a number or a condition is refused', async (t) => {
  const { stage } = await open()
  const real = stage.params['workspaceId'] ?? ''
  const taking = routes.flatMap((route) =>
    entriesOf(route.body)
      .filter((name) => /(Id|upTo)$/.test(name) && name !== 'clientId')
      .map((name) => ({ route, name })),
  )
  t.true(taking.length >= 5, taking.map(({ route, name }) => `${route.name}.${name}`).join())
  for (const { route, name } of taking)
    for (const odd of oddIds(real)) {
      const raw = JSON.stringify({ ...validBodies(stage.sites)[route.name], [name]: odd })
      const params = paramsOf(route, stage.params)
      const answer = await call(allowedTo(stage, route), route, { params, raw, headers: secretOf(stage) })
      t.true([400, 404].includes(answer.status), `${route.name} with ${name} ${JSON.stringify(odd)}: ${answer.status}`)
      t.regex(answer.failure.code, /^VALIDATION_ERROR$|NOT_FOUND$/)
    }
})

const conditions = [
  "' or 1=1 --",
  "x' or '1'='1",
  '1 OR 1=1',
  '%',
  '_',
  '*',
  'null',
  '{"$ne":null}',
  '(select id from runs)',
]

test('a filter is a value: no condition in it finds what the value does not', async (t) => {
  const { stage, stranger } = await open()
  const filtered = routes.flatMap((route) =>
    route.method === 'get' && !route.browser && route.access !== 'anyone' && !route.path.includes('{')
      ? entriesOf(route.query).flatMap((name) => (name in pagingOfOwner ? [] : [{ route, name }]))
      : [],
  )
  t.true(filtered.length >= 10)
  for (const { route, name } of filtered)
    for (const condition of conditions) {
      const who = route.access === 'admin' ? stage.admin : stranger
      const answer = await call(who, route as typeof runs.listRuns, { query: { [name]: condition } })
      if (answer.status === 200) t.deepEqual(answer.body.items, [], `${route.name} by ${name} ${condition}`)
      else t.is(answer.failure.code, 'VALIDATION_ERROR', `${route.name} by ${name} ${condition}`)
    }
})

test('no list is sorted, widened or joined by what a query asks', async (t) => {
  const { stage } = await open()
  const lists = routes.filter(({ query, method }) => query && method === 'get')
  for (const [nth, route] of lists.entries())
    for (const name of [
      'sort',
      'order',
      'orderBy',
      'fields',
      'include',
      'expand',
      'where',
      'filter',
      'ownerId',
      'userId',
    ]) {
      if (entriesOf(route.query).includes(name)) continue
      // Each list once with some of them: that undeclared members are refused is tested on every route.
      if ((nth + name.length) % 5 !== 0) continue
      const { status } = await ask(route, `${name}=id;drop table users`)
      t.true([400, 404].includes(status), `${route.name} with ${name}`)
    }

  async function ask(route: AnyRoute, search: string) {
    const path = `${route.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => stage.params[name] ?? 'x')}?${encodeURI(search)}`
    const { token } = allowedTo(stage, route)
    return send(stage.platform.url, { path, headers: { authorization: `Bearer ${token ?? ''}` } })
  }
})

test("what admins may do has no other method, and no other spelling, that is anybody's", async (t) => {
  const { stage, stranger } = await open()
  const paths = [...new Set(routes.filter(({ access }) => access === 'admin').map(({ path }) => path))]
  t.true(paths.length >= 8)
  const headers = { authorization: `Bearer ${stranger.token}`, 'content-type': 'application/json' }
  for (const declared of paths) {
    const path = declared.replaceAll(/\{\w+\}/g, 'tools.example.com')
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'LINK']) {
      const { code } = await send(stage.platform.url, { method, path, headers, body: '{}' })
      t.regex(code ?? '', /^(ADMIN_REQUIRED|METHOD_NOT_ALLOWED)$/, `${method} ${path}`)
    }
    for (const spelling of [path.toUpperCase(), `/${path}`, `${path}/..`, `${path}%2F`, `${path};x`, `${path}.json`]) {
      const { code } = await send(stage.platform.url, { path: spelling, headers })
      t.regex(code ?? '', /^(NOT_FOUND|ADMIN_REQUIRED|METHOD_NOT_ALLOWED)$/, spelling)
    }
  }
})

test('headers that make requests conditional change nothing, and two changes at once do not mix', async (t) => {
  const { stage, stranger } = await open()
  const agent = await agentOf(stranger)
  const params = { agentId: agent.id }
  for (const headers of [
    { 'if-match': '"other"' },
    { 'if-none-match': '*' },
    { 'if-unmodified-since': 'Thu, 01 Jan 1970 00:00:00 GMT' },
  ]) {
    t.is((await call(stranger, agents.getAgent, { params, headers })).status, 200)
    t.is((await call(stranger, agents.updateAgent, { params, headers, body: { name: 'Mine' } })).status, 200)
    const foreign = { params: { agentId: stage.agent.id }, headers, body: { name: 'Mine' } }
    t.is((await call(stranger, agents.updateAgent, foreign)).failure.code, 'AGENT_NOT_FOUND')
  }
  const change = (word: string) =>
    call(stranger, agents.updateAgent, { params, body: { name: word, systemPrompt: word } })
  await Promise.all(Array.from({ length: 10 }, (_, nth) => change(`change ${nth}`)))
  const { body } = await call(stranger, agents.getAgent, { params })
  t.is(body.name, body.systemPrompt)
})
