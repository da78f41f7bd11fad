// @promise isolation
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import * as runs from '../../api/runs.ts'
import * as webhooks from '../../api/webhooks.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import { routes } from '../../api/routes.ts'
import { newId } from '../../src/ids.ts'
import { call } from '../helpers/client.ts'
import { agentOf, customer, webhookAgent } from '../helpers/people.ts'
import { withToken } from '../helpers/sessions.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { firstTime } from './first-time.ts'
import { snapshot } from './snapshot.ts'
import { makeThings, noteUses, openStage, paramsOf, validBodies, validQueries, type Stage } from './stage.ts'

/** Nobody's: a tool is named within a vault entry, a host by its address, a month by its date, a template by its file. */
const isIdentifier = (name: string): boolean => !['toolName', 'host', 'month', 'templateId'].includes(name)
const idsOf = (route: AnyRoute, params: Record<string, string>): string[] =>
  Object.keys(paramsOf(route, params)).filter(isIdentifier)
/** Webhook routes answer whoever knows the secret, those of admins nobody else; they are tested by themselves. */
const owned = (route: AnyRoute, params: Record<string, string>): boolean =>
  route.access !== 'anyone' && route.access !== 'admin' && idsOf(route, params).length > 0

/** A stage with a second owner who has one of everything too. */
const openTwo = forWholeFile(test, 'two owners', async (t) => {
  const stage = await openStage(t)
  const stranger = await customer(stage.platform, 'team')
  const theirs = await makeThings(stage.platform, stranger, stage.sites)
  return { stage, stranger, theirs }
})

/** A test beside which no other one runs, since nothing at all may change while it does. */
const unchanging = (
  title: string,
  work: (t: ExecutionContext, two: Awaited<ReturnType<typeof openTwo>>) => Promise<void>,
) =>
  test.serial(title, async (t) => {
    const two = await openTwo()
    const { database } = two.stage.platform.services
    await noteUses(two.stage)
    const before = await snapshot(database)
    await work(t, two)
    t.deepEqual(await snapshot(database), before)
  })

function ask(stage: Stage, token: string | undefined, route: AnyRoute, params: Record<string, string>) {
  const body = validBodies(stage.sites)[route.name]
  const raw = body && { raw: JSON.stringify(body) }
  return call({ url: stage.platform.url, token }, route, { params: { ...paramsOf(route, params), ...params }, ...raw })
}

const only = (params: Record<string, string>, route: AnyRoute) => paramsOf(route, params)

/**
 * What one may not see is not there, whatever one may do. Where only the handler looks for the thing, a key that may not
 * use the route is told that before, whatever the id.
 */
function codeFor({ resource, access, method }: AnyRoute, via: 'login' | 'key' | 'key to read'): RegExp {
  const may = via === 'login' || (access !== 'login' && (via === 'key' || method === 'get'))
  return may || resource ? /NOT_FOUND$/ : /^PERMISSION_DENIED$/
}

unchanging("another owner's thing is answered exactly as one that does not exist, on every route", async (t, two) => {
  const { stage, stranger, theirs } = two
  const callers = [
    ['login', stranger.token],
    ['key', theirs.apiKey],
    ['key to read', theirs.readKey],
  ] as const
  const isNew = firstTime()
  for (const route of routes.filter((one) => owned(one, stage.params)))
    for (const [via, token] of callers) {
      // Routes that find their resource by the same function ask the same of a key.
      if (via !== 'login' && !isNew(route.resource ?? route.access, `${via} ${route.method === 'get'}`)) continue
      const [name = ''] = idsOf(route, stage.params)
      const unknown = await ask(stage, token, route, only({ ...stage.params, [name]: newId() }, route))
      const foreign = await ask(stage, token, route, only(stage.params, route))
      t.regex(foreign.failure.code, codeFor(route, via), `${route.name} by ${via}`)
      t.deepEqual(foreign.failure, unknown.failure, route.name)
    }
})

unchanging('an identifier of another kind of thing is not there', async (t, { stage }) => {
  const isNew = firstTime()
  for (const route of routes.filter((one) => owned(one, stage.params))) {
    const [name = ''] = idsOf(route, stage.params)
    const others = Object.entries(stage.params).filter(([other]) => other !== name && isIdentifier(other))
    // Routes that find their resource by the same function look for one kind of thing.
    if (!isNew(route.resource ?? route, name)) continue
    for (const [kind, id] of route.resource ? others : others.slice(0, 3)) {
      const { failure } = await ask(stage, stage.owner.token, route, only({ ...stage.params, [name]: id }, route))
      t.regex(failure.code, /NOT_FOUND$/, `${route.name} with a ${kind}`)
    }
  }
})

test('no list shows what belongs to another, whatever its filters and cursor', async (t) => {
  const { stage, stranger, theirs } = await openTwo()
  const ofOwner = [stage.owner.email, stage.agent.webhookSecret, stage.session.token]
  const secret = [...Object.values(stage.params), ...ofOwner].filter((text) => text.length > 20)
  const lists = routes.filter(
    ({ method, path, access, browser }) => method === 'get' && access !== 'admin' && !browser && !path.includes('{'),
  )
  for (const route of lists) {
    const query = validQueries[route.name] ?? {}
    const { body } = await call(stranger, route as typeof agents.listAgents, {
      query,
      headers: withToken(theirs.session),
    })
    for (const text of secret) t.false(JSON.stringify(body ?? null).includes(text), route.name)
  }
  const { agentId = '' } = stage.params
  t.deepEqual((await call(stranger, runs.listRuns, { query: { agentId } })).body.items, [])
})

test("an agent cannot be given another owner's site, and is not told that there is one", async (t) => {
  const { stage, stranger, theirs } = await openTwo()
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

// @promise senders
test("a webhook opens to its own agent's secret only, and shows its own runs only", async (t) => {
  const { stage, theirs } = await openTwo()
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
