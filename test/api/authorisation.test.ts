import test, { type ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import * as auth from '../../api/auth.ts'
import * as runs from '../../api/runs.ts'
import * as webhooks from '../../api/webhooks.ts'
import type { AnyRoute } from '../../api/route.ts'
import { routes } from '../../api/routes.ts'
import { newId } from '../../src/ids.ts'
import { call } from '../helpers/client.ts'
import { agentOf, customer, webhookAgent } from '../helpers/people.ts'
import { provokersByName } from './provoke-by-name.ts'
import { createRecorder } from './recorder.ts'
import { snapshot } from './snapshot.ts'
import { createSpender } from './spender.ts'
import { allowedTo, makeThings, openStage, paramsOf, validBodies, type Stage } from './stage.ts'

/** Not identifiers of ours: a tool is named within a vault entry, a host by its address. */
const isIdentifier = (name: string): boolean => name !== 'toolName' && name !== 'host'
const idsOf = (route: AnyRoute, params: Record<string, string>): string[] =>
  Object.keys(paramsOf(route, params)).filter(isIdentifier)
/** Webhook routes answer whoever knows the secret; they are tested by themselves. */
const owned = (route: AnyRoute, params: Record<string, string>): boolean =>
  route.access !== 'anyone' && idsOf(route, params).length > 0

/** A stage with a second owner who has one of everything too. */
async function openTwo(t: ExecutionContext) {
  const stage = await openStage(t)
  const stranger = await customer(stage.platform)
  const theirs = await makeThings(stranger, stage.sites)
  return { stage, stranger, theirs }
}

function ask(stage: Stage, token: string | undefined, route: AnyRoute, params: Record<string, string>) {
  const body = validBodies(stage.sites)[route.name]
  const raw = body && { raw: JSON.stringify(body) }
  return call({ url: stage.platform.url, token }, route, { params: { ...paramsOf(route, params), ...params }, ...raw })
}

const only = (params: Record<string, string>, route: AnyRoute) => paramsOf(route, params)

test("another owner's thing is answered exactly as one that does not exist, on every route", async (t) => {
  const { stage, stranger, theirs } = await openTwo(t)
  // The first use of a key in a minute is noted in its row.
  await call({ url: stage.platform.url, token: theirs.apiKey }, auth.me)
  const before = await snapshot(stage.platform.services.database)
  let requests = 0
  for (const route of routes.filter((one) => owned(one, stage.params)))
    for (const token of [stranger.token, theirs.apiKey]) {
      const [name = ''] = idsOf(route, stage.params)
      const unknown = await ask(stage, token, route, only({ ...stage.params, [name]: newId() }, route))
      const foreign = await ask(stage, token, route, only(stage.params, route))
      requests += 2
      // An API key may not touch the account, whatever the id.
      const expected = route.access === 'login' && token === theirs.apiKey ? /^PERMISSION_DENIED$/ : /NOT_FOUND$/
      t.regex(foreign.failure.code, expected, route.name)
      t.deepEqual(foreign.failure, unknown.failure, route.name)
    }
  t.deepEqual(await snapshot(stage.platform.services.database), before)
  t.log(`${requests} requests`)
})

test('an identifier of another kind of thing is not there', async (t) => {
  const stage = await openStage(t)
  const before = await snapshot(stage.platform.services.database)
  for (const route of routes.filter((one) => owned(one, stage.params))) {
    const [name = ''] = idsOf(route, stage.params)
    const others = Object.entries(stage.params).filter(([other]) => other !== name && isIdentifier(other))
    for (const [kind, id] of others) {
      const { failure } = await ask(stage, stage.owner.token, route, only({ ...stage.params, [name]: id }, route))
      t.regex(failure.code, /NOT_FOUND$/, `${route.name} with a ${kind}`)
    }
  }
  t.deepEqual(await snapshot(stage.platform.services.database), before)
})

test('no list shows what belongs to another, whatever its filters and cursor', async (t) => {
  const { stage, stranger } = await openTwo(t)
  const secret = [...Object.values(stage.params), stage.owner.email, stage.agent.webhookSecret].filter(
    (text) => text.length > 20,
  )
  const lists = routes.filter(
    ({ method, path, access, browser }) => method === 'get' && access !== 'admin' && !browser && !path.includes('{'),
  )
  for (const route of lists) {
    const { body } = await call(stranger, route as typeof agents.listAgents)
    for (const text of secret) t.false(JSON.stringify(body ?? null).includes(text), route.name)
  }
  const { agentId = '' } = stage.params
  t.deepEqual((await call(stranger, runs.listRuns, { query: { agentId } })).body.items, [])
  await agentOf(stage.owner)
  const { nextCursor } = (await call(stage.owner, agents.listAgents, { query: { limit: '1' } })).body
  const { items } = (await call(stranger, agents.listAgents, { query: { cursor: nextCursor ?? '' } })).body
  t.false(items.some(({ id }) => id === agentId))
})

test("an agent cannot be given another owner's site, and is not told that there is one", async (t) => {
  const { stage, stranger, theirs } = await openTwo(t)
  const { entryId = '' } = stage.params
  const give = async (vaultEntryId: string) => {
    const body = { name: 'Mine', systemPrompt: 'Report.', trigger: 'manual' as const, sites: [{ vaultEntryId }] }
    const made = await call(stranger, agents.createAgent, { body })
    const params = { agentId: theirs.agent.id }
    const changed = await call(stranger, agents.updateAgent, { params, body: { sites: [{ vaultEntryId }] } })
    return [made.failure, changed.failure]
  }
  const foreign = await give(entryId)
  t.deepEqual(
    foreign.map(({ code }) => code),
    ['VALIDATION_ERROR', 'VALIDATION_ERROR'],
  )
  t.deepEqual(foreign, await give(newId()))
})

test("a webhook opens to its own agent's secret only, and shows its own runs only", async (t) => {
  const { stage, theirs } = await openTwo(t)
  const { agentId = '', runId = '' } = stage.params
  const theirSecret = { 'x-webhook-secret': theirs.agent.webhookSecret }
  const other = await webhookAgent(stage.owner)
  const secrets = [theirSecret, { 'x-webhook-secret': other.webhookSecret }, { 'x-webhook-secret': stage.owner.token }]
  for (const headers of [...secrets, { 'x-webhook-secret': '' }, {}]) {
    const sent = await call(stage.nobody, webhooks.receiveWebhook, { params: { agentId }, raw: '{}', headers })
    t.is(sent.failure.code, 'WEBHOOK_SECRET_INVALID')
    const read = await call(stage.nobody, webhooks.getDelivery, { params: { agentId, runId }, headers })
    t.is(read.failure.code, 'WEBHOOK_SECRET_INVALID')
  }
  for (const [id, headers] of [[theirs.agent.id, theirSecret] as const, [other.id, secrets[1] ?? {}] as const]) {
    const read = await call(stage.nobody, webhooks.getDelivery, { params: { agentId: id, runId }, headers })
    t.is(read.failure.code, 'RUN_NOT_FOUND')
  }
  const manual = await agentOf(stage.owner)
  const { failure } = await call(stage.owner, webhooks.receiveWebhook, { params: { agentId: manual.id }, raw: '{}' })
  t.is(failure.code, 'AGENT_NOT_FOUND')
})

const ourMembers = ['id', 'ownerId', 'owner_id', 'userId', 'user_id', 'role', 'admin', 'createdAt', 'updatedAt']
  .concat(['deletedAt', 'webhookSecret', 'webhook_secret', 'credential', 'passwordHash', 'termsVersion', 'balance'])
  .concat(['tier', 'scopes', 'status', 'sequence', 'termsAcceptedAt', '$ref', '$relation', '#id'])

test('nobody sets by a member what is not theirs to set', async (t) => {
  const stage = await openStage(t)
  const before = await snapshot(stage.platform.services.database)
  for (const route of routes.filter(({ body, name }) => body && name !== 'callTool')) {
    const valid = validBodies(stage.sites)[route.name] ?? {}
    const known = membersOf(route)
    for (const member of ourMembers.filter((name) => !known.includes(name))) {
      const raw = JSON.stringify({ ...valid, [member]: stage.params['agentId'] })
      const { failure } = await call(allowedTo(stage, route), route, {
        params: paramsOf(route, stage.params),
        raw,
      })
      t.is(failure.code, 'VALIDATION_ERROR', `${route.name} with ${member}`)
      // Of a choice the message says which members each has.
      t.is(failure.details?.[0]?.path, 'options' in (route.body as object) ? '' : member)
    }
  }
  t.deepEqual(await snapshot(stage.platform.services.database), before)
})

/** The members of a route's body; of all of them where there is a choice. */
function membersOf({ body }: AnyRoute): string[] {
  const { entries, options = [] } = body as { entries?: object; options?: { entries: object }[] }
  return [entries ?? {}, ...options.map((option) => option.entries)].flatMap(Object.keys)
}

/** Columns that no answer may hold, in whatever form they are stored. */
const secretColumns: [string, string][] = [
  ['users', 'password_hash'],
  ['refresh_tokens', 'token_hash'],
  ['api_keys', 'key_hash'],
  ['vault_entries', 'credential'],
  ['agents', 'webhook_secret'],
  ['payment_methods', 'reference'],
  ['oauth_flows', 'ticket_hash'],
  ['oauth_flows', 'state_hash'],
  ['oauth_flows', 'binding_hash'],
  ['oauth_flows', 'verifier'],
]

test('no answer holds a hash, a sealed secret or a credential', async (t) => {
  const stage = await openStage(t)
  const recorder = createRecorder()
  const table = provokersByName(stage, recorder, createSpender(t))
  for (const [name, row] of Object.entries(table)) t.true(((await row.done?.())?.status ?? 500) < 400, name)
  await ask(stage, stage.owner.token, routes.find(({ name }) => name === 'getAgent') as AnyRoute, stage.params)

  const secrets = [stage.owner.password, 'any-token', 'another-token']
  for (const [from, column] of secretColumns) {
    const { rows } = await stage.platform.services.database.raw<{ rows: { value: string }[] }>(
      'select distinct ?? as value from ?? where ?? is not null',
      [column, from, column],
    )
    t.true(rows.length > 0, `${from}.${column}`)
    secrets.push(...rows.map(({ value }) => value))
  }
  t.true(recorder.texts.length > routes.length)
  for (const text of recorder.texts)
    for (const secret of secrets) t.false(text.includes(secret), `${secret} in ${text.slice(0, 300)}`)
  for (const { key } of keysIn(recorder.texts))
    t.is(recorder.texts.filter((text) => text.includes(key)).length, 1, 'an API key is shown once')
})

const keysIn = (texts: string[]): { key: string }[] =>
  texts.flatMap((text) => [...text.matchAll(/sy_key_[\w-]{43}/g)].map(([key]) => ({ key })))
