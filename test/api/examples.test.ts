// @promise openapi
import test from 'ava'
import * as agents from '../../api/agents.ts'
import * as agentRuns from '../../api/agent-runs.ts'
import * as agentSecrets from '../../api/agent-secrets.ts'
import * as apiKeys from '../../api/api-keys.ts'
import * as auth from '../../api/auth.ts'
import { requestExamples } from '../../api/openapi/request-examples.ts'
import { tags } from '../../api/openapi/order.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import { routes } from '../../api/routes.ts'
import * as sessions from '../../api/sessions.ts'
import * as webhooks from '../../api/webhooks.ts'
import { document } from '../helpers/openapi-schemas.ts'
import { customer } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { operations, resolved } from './contract.ts'

const open = forWholeFile(test, 'the examples of requests', (t) => startPlatform(t))

const contentOf = ({ path, method }: AnyRoute) =>
  document.paths[path]?.[method]?.requestBody?.content?.['application/json']

/** Sends the example of an operation unchanged. */
async function tryOut(route: AnyRoute, headers: Record<string, string> = {}, params: Record<string, string> = {}) {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
  const response = await fetch((await open()).url + path, {
    method: route.method.toUpperCase(),
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(contentOf(route)?.example),
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

test('the examples of a first hour work unchanged', async (t) => {
  t.is((await tryOut(auth.register as AnyRoute)).status, 201)
  t.is((await tryOut(auth.login as AnyRoute)).status, 200)

  const { token } = await customer(await open())
  const account = { authorization: `Bearer ${token}` }
  const agent = await tryOut(agents.createAgent as AnyRoute, account)
  t.is(agent.status, 201, JSON.stringify(agent.body))
  const { id: agentId = '', webhookSecret = '' } = agent.body
  const sender = { 'x-webhook-secret': webhookSecret }
  t.is((await tryOut(webhooks.receiveWebhook as AnyRoute, sender, { agentId })).status, 202)

  const { id: other = '' } = (await tryOut(agents.createAgent as AnyRoute, account)).body
  t.is((await tryOut(agentRuns.startRun as AnyRoute, account, { agentId: other })).status, 202)
  t.is((await tryOut(agents.updateAgent as AnyRoute, account, { agentId })).status, 200)
  t.is((await tryOut(agentSecrets.rotateSecret as AnyRoute, account, { agentId })).status, 200)
  t.is((await tryOut(apiKeys.createApiKey as AnyRoute, account)).status, 201)
  t.is((await tryOut(sessions.createSession as AnyRoute, account)).status, 201)
})

test('no example of a request names a thing by its id where it need not', (t) => {
  const naming = routes.flatMap((route) => {
    const { schema, example } = contentOf(route) ?? {}
    const required = (schema && (resolved(schema) ?? schema).required) ?? []
    return Object.entries((example ?? {}) as Record<string, unknown>)
      .filter(([name, value]) => !required.includes(name) && JSON.stringify(value).includes('0198a3c2'))
      .map(([name]) => `${route.name}: ${name}`)
  })
  // What is moved, and to where, has no default.
  t.deepEqual(naming, ['moveThings: workspaceId', 'moveThings: agentIds'])
})

test('every request shows something, and every example of its own is that of a request', (t) => {
  const empty = routes.filter((route) => contentOf(route) && JSON.stringify(contentOf(route)?.example) === '{}')
  t.deepEqual(
    empty.map(({ name }) => `the example of ${name} is empty: give it one in request-examples.ts`),
    // A template needs nothing.
    ['the example of createAgentFromTemplate is empty: give it one in request-examples.ts'],
  )
  const known = new Set(routes.filter(contentOf).map(({ name }) => name))
  t.deepEqual(
    Object.keys(requestExamples).filter((name) => !known.has(name)),
    [],
  )
})

test('the reference begins with what most readers look for, and lists a thing before what is done with it', (t) => {
  t.deepEqual(
    [...new Set(routes.map(({ tag }) => tag))].filter((tag) => !(tag in tags)),
    [],
  )
  const names = operations.map(({ operationId }) => operationId)
  t.deepEqual(names.slice(0, 5), ['createAgent', 'listAgents', 'getAgent', 'updateAgent', 'deleteAgent'])
  t.is(names.at(-3), 'readyz')
  t.true(names.indexOf('register') < names.indexOf('acceptTerms'))
})
