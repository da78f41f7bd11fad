// @promise secrecy
import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { Client, Connection } from '@temporalio/client'
import type { TypedSearchAttributes } from '@temporalio/common'
import test, { type ExecutionContext } from 'ava'
import type { GenericSchema } from 'valibot'
import * as agents from '../api/agents.ts'
import * as agentRuns from '../api/agent-runs.ts'
import * as auth from '../api/auth.ts'
import * as apiKeys from '../api/api-keys.ts'
import * as notifications from '../api/notifications.ts'
import type { AnyRoute } from '../api/route/route.ts'
import { validated } from '../api/route/validation.ts'
import { routes } from '../api/routes.ts'
import * as runs from '../api/runs.ts'
import * as vault from '../api/vault.ts'
import * as refreshes from '../api/refreshes.ts'
import { openCredential } from '../src/vault/credential.ts'
import { VaultEntry } from '../src/vault/vault-entry.ts'
import type { CodedError } from '../src/errors.ts'
import { firstTime } from './api/first-time.ts'
import { openOAuthStage } from './api/oauth-stage.ts'
import { tokenAnswer } from './helpers/bare-oauth-site.ts'
import { heldByTemporal, metadataOf, sightings } from './helpers/canaries.ts'
import { call, check } from './helpers/client.ts'
import { openDatabaseDoor } from './helpers/database-door.ts'
import { createTestDatabase } from './helpers/database.ts'
import { eventually } from './helpers/eventually.ts'
import {
  agentOf,
  connectBadTools,
  customer,
  deliver,
  ended,
  person,
  runOf,
  timelineOf,
  webhookAgent,
  type Person,
} from './helpers/people.ts'
import { startPlatform, type Platform } from './helpers/platform.ts'
import { startSites } from './helpers/sites.ts'
import { waiting } from './helpers/runs.ts'
import { forWholeFile } from './helpers/whole-file.ts'

/** A platform with a worker and the example sites, one with sites that use OAuth, and what Temporal has of both. */
const open = forWholeFile(test, 'secrecy', async (t) => {
  const sites = await startSites(t)
  const platform = await startPlatform(t, { sites, worker: true, env: { SITE_TIMEOUT_SECONDS: '3' } })
  return { sites, platform, temporal: await temporalClient(t, platform) }
})
const openOAuth = forWholeFile(test, 'secrecy of OAuth', async (t) => {
  const stage = await openOAuthStage(t, {}, { worker: true })
  return { ...stage, temporal: await temporalClient(t, stage.platform) }
})

const canary = (name: string): string => `canary-${name}-${randomBytes(12).toString('hex')}`

/** Calls of every kind that fails, and of one that succeeds, as a script for the demo model. */
const scriptOf = (words: { argument: string; name: string }) =>
  [
    `[[call echo_text {"text":"${words.argument}"}]]`,
    '[[call fail]][[call refuse]][[call limit_first {"refusals":1,"seconds":1}]][[call hang]][[call reset]][[call not_object]][[call not_json]]',
    '[[call not_utf8]][[call too_large]][[call endless]]',
    `[[call redirect {"location":"https://127.0.0.1:1/${words.argument}"}]]`,
    '[[then]]',
    `[[call flaky_read {"failures":2,"how":"cut","note":"${words.argument}"}]]`,
    `[[call echo_text {"text":{"${words.name}":"${words.argument}"}}]]`,
    `[[call echo_text {"${words.name}":"${words.argument}"}]]`,
    `[[call no_such_tool {"text":"${words.argument}"}]]`,
  ].join(' ')

async function temporalClient(t: ExecutionContext, { config }: Platform): Promise<Client> {
  const connection = await Connection.connect({ address: config.temporal.address })
  t.teardown(() => connection.close())
  return new Client({ connection, namespace: config.temporal.namespace })
}

test('neither Temporal nor the log holds a secret or a content of any run, however it ends', async (t) => {
  const { sites, platform, temporal } = await open()
  const someone = await customer(platform)
  const login = await call(platform, auth.login, { body: { email: someone.email, password: someone.password } })
  const key = await call(someone, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['read', 'write'] } })
  const words = {
    badToolsToken: canary('token'),
    trackerToken: sites.tracker.createToken('ada', 'admin'),
    systemPrompt: canary('prompt'),
    payload: canary('payload'),
    payloadName: canary('member'),
    argument: canary('argument'),
    argumentName: canary('argumentname'),
    override: canary('action'),
    siteError: 'The database of this site is on fire',
    result: 'Login page is blank in dark mode',
    password: someone.password,
    accessToken: someone.token,
    secondAccessToken: login.body.accessToken,
    refreshToken: login.body.refreshToken,
    apiKey: key.body.key,
    callbackKey: canary('callbackkey'),
  }
  const bad = await call({ ...someone, token: words.apiKey }, vault.addToVault, {
    body: { url: sites.badTools.origin, token: words.badToolsToken },
  })
  const tracker = await call(someone, vault.addToVault, {
    body: { url: sites.tracker.origin, token: words.trackerToken },
  })
  const given = [bad.body.id, tracker.body.id].map((vaultEntryId) => ({ vaultEntryId }))
  const payload = { [words.payloadName]: words.payload, title: words.payload }
  const prompt = (script: string) => `${words.systemPrompt} ${script}`
  const script = scriptOf({ argument: words.argument, name: words.argumentName })

  const failingCalls = await webhookAgent(someone, {
    sites: given,
    // Nothing is there to be posted to: what fails is logged.
    callbackUrl: `https://callbacks.example/?key=${words.callbackKey}`,
    systemPrompt: prompt(`[[call search_issues {"query":"blank"}]][[then]]${script}`),
  })
  const failingModel = await webhookAgent(someone, { systemPrompt: prompt('[[fail 500]]') })
  const refusedModel = await webhookAgent(someone, { systemPrompt: prompt('[[fail 400]]') })
  const sleeping = await agentOf(someone, { systemPrompt: prompt('[[sleep 60]]') })
  const calling = await agentOf(someone, {
    sites: given,
    systemPrompt: prompt(
      '[[call slow_read {"seconds":1.5}]][[then]][[call slow_once {"seconds":60}]][[then]][[sleep 60]]',
    ),
  })
  const overridden = await webhookAgent(someone, { systemPrompt: words.systemPrompt, allowActionOverride: true })
  const secrets = {
    webhookSecret: failingCalls.webhookSecret,
    callbackSecret: failingCalls.callbackSecret ?? '',
    ...words,
  }

  const delivered = []
  for (const agent of [failingCalls, refusedModel]) {
    delivered.push((await deliver(platform, agent, payload, { 'idempotency-key': words.payloadName })).body.runId)
  }
  const withAction = { ...payload, action: `${words.override} [[call nothing {"a":"${words.argument}"}]]` }
  delivered.push((await deliver(platform, overridden, withAction)).body.runId)
  const cancelled = []
  const failing = (await deliver(platform, failingModel, payload)).body.runId
  await waiting(someone, failing)
  await call(someone, runs.cancelRun, { params: { runId: failing } }).then((answer) => answer.body)
  cancelled.push(failing)
  for (const agentId of [sleeping.id, calling.id]) {
    const { body } = await call(someone, agentRuns.startRun, { params: { agentId } })
    await eventually(20, 'the run is under way', async () => (await runOf(someone, body.id)).events > 2 || undefined)
    await call(someone, runs.cancelRun, { params: { runId: body.id } }).then((answer) => answer.body)
    cancelled.push(body.id)
  }

  const statuses = []
  for (const runId of [...delivered, ...cancelled]) statuses.push((await ended(someone, runId, 90)).status)
  t.deepEqual(statuses, ['completed', 'failed', 'completed', 'cancelled', 'cancelled', 'cancelled'])
  t.true(failingCalls.callbackSecret?.startsWith('whsec_'))
  await eventually(20, 'the callback is tried', () =>
    platform.logs.some((line) => line.includes('callback not delivered')) ? true : undefined,
  )

  // The canaries were really there: the record, which is the owner's, holds them.
  const told = JSON.stringify(await timelineOf(someone, delivered[0] ?? ''))
  for (const name of ['systemPrompt', 'payload', 'payloadName', 'argument', 'siteError', 'result'] as const) {
    t.true(told.includes(words[name]), `the timeline lacks ${name}`)
  }

  const runIds = [...delivered, ...cancelled]
  const agentIds = [failingCalls, failingModel, refusedModel, sleeping, calling, overridden].map(({ id }) => id)
  const held = await heldByTemporal(temporal, platform.config.temporal.taskQueue, { runIds, agentIds })
  for (const runId of runIds) {
    const [, texts = []] = [...held].find(([id]) => id.startsWith(`run/${runId} `)) ?? []
    t.true(
      texts.some((text) => text.includes(`"runId":"${runId}"`)),
      'the inputs of the workflow were read',
    )
  }
  for (const [id, texts] of held) t.deepEqual(sightings(secrets, texts), [], id)
  t.true(platform.logs.length > 20)
  t.deepEqual(sightings(secrets, platform.logs), [])
})

test('neither Temporal, nor the log, nor an answer holds a secret of a site connected by OAuth', async (t) => {
  const stage = await openOAuth()
  const { site, someone, platform, temporal } = stage
  const given: Record<string, string> = {}
  /** Answers with tokens of its own, and with headers that quote what came. */
  const grant =
    (code = 200): RequestListener =>
    (_request, response) => {
      const tokens = tokenAnswer()
      const count = Object.keys(given).length
      Object.assign(given, { [`access ${count}`]: tokens.access_token, [`refresh ${count}`]: tokens.refresh_token })
      const headers = { 'WWW-Authenticate': `Bearer realm="${site.tokenForms.at(-1)?.toString()}"` }
      response.writeHead(code, { ...headers, 'Content-Type': 'application/json' }).end(JSON.stringify(tokens))
    }
  const bodies: string[] = []
  const fails = async (answer: RequestListener, parameters: Record<string, string> = {}, accept?: string) => {
    site.token = answer
    const back = await stage.finish(await stage.begin(), parameters, accept)
    t.true(back.status >= 400)
    bodies.push(back.text)
  }
  for (const code of [400, 401, 500, 503]) await fails(grant(code))
  await fails((_request, response) => void response.socket?.destroy(), {}, 'text/html')
  await fails(grant(), { iss: 'https://other.example' })
  await fails(grant(), { state: 'unknown' }, 'text/html')
  site.token = grant()
  const entryId = await stage.connect()

  const agent = await agentOf(someone, {
    sites: [{ vaultEntryId: entryId }],
    systemPrompt: '[[call act]][[then]][[call act]]',
  })
  const run = async () => {
    const { body } = await call(someone, agentRuns.startRun, { params: { agentId: agent.id } })
    return { id: body.id, status: (await ended(someone, body.id)).status }
  }
  const over = () => {
    const past = new Date(Date.now() - 1000)
    return platform.services
      .database('vault_entries')
      .where({ id: entryId })
      .update({ refresh_after: past, expires_at: past })
  }
  // A refresh that succeeds, one after a 401, and one in doubt.
  await over()
  site.token = grant()
  const runIds = [await run()]
  const good = site.tool
  site.token = grant()
  site.tool = (_request, response) => {
    site.tool = good
    response.writeHead(401, { 'WWW-Authenticate': `Bearer realm="${site.toolTokens.at(-1)}"` }).end('{}')
  }
  runIds.push(await run())
  await over()
  site.token = grant(500)
  const { failure } = await call(someone, vault.callTool, { params: { entryId, toolName: 'act' }, body: {} })
  t.deepEqual(
    runIds.map((one) => one.status),
    ['completed', 'completed'],
  )
  t.deepEqual([site.tokenForms.length, new Set(site.toolTokens).size], [9, 2])
  bodies.push(JSON.stringify([failure, (await call(someone, vault.listVault)).body]))
  bodies.push(JSON.stringify((await call(someone, refreshes.listRefreshes, { params: { entryId } })).body))
  for (const { id } of runIds) bodies.push(JSON.stringify(await timelineOf(someone, id)))
  const removed = await call(someone, vault.removeFromVault, { params: { entryId }, query: { force: 'true' } })
  t.is(removed.status, 204)

  const secrets = { ...given, ...stage.allSecrets() }
  t.true(Object.keys(secrets).length > 40)
  t.deepEqual(sightings(secrets, bodies), [])
  const ids = { runIds: runIds.map(({ id }) => id), agentIds: [agent.id] }
  const held = await heldByTemporal(temporal, platform.config.temporal.taskQueue, ids)
  for (const [id, texts] of held) t.deepEqual(sightings(secrets, texts), [], id)
  t.true(platform.logs.length > 20)
  t.deepEqual(sightings(secrets, platform.logs), [])
})

test('a site that quotes the tokens it was sent puts them nowhere, and what it says is in no log', async (t) => {
  const stage = await openOAuth()
  // The other test has the first site to itself.
  const { other: site, someone, platform, temporal } = stage
  const { database, sealing } = platform.services
  const entryId = await stage.connect(site)
  const { refreshToken } = openCredential(sealing, await VaultEntry.query(database).findById(entryId).throwIfNotFound())
  const said = canary('words')
  /** Quotes the newest token, as it is and as PHP would write it, in an error and in a result alike. */
  const quoting =
    (code: number): RequestListener =>
    (_request, response) => {
      const token = site.toolTokens.at(-1)
      const words = JSON.stringify(`the token ${token} may not, nor ${refreshToken}, ${said}`)
      const headers = { 'Content-Type': 'application/json', 'X-Token': token }
      response.writeHead(code, headers).end(`{"error":${words},"${token}":["${token}",17]}`)
    }
  const bodies: string[] = []
  const ids = { runIds: [] as string[], agentIds: [] as string[] }
  const use = async () => {
    const answer = await call(someone, vault.callTool, { params: { entryId, toolName: 'act' }, body: {} })
    bodies.push(JSON.stringify(answer.status === 200 ? answer.body : answer.failure))
    return answer
  }
  const codes = [200, 400, 403, 500]
  for (const code of codes) {
    site.tool = quoting(code)
    const answer = await use()
    t.is(answer.status, code === 200 ? 200 : 502)
    const words = `the token [token] may not, nor [token], ${said}`
    if (code === 200) t.deepEqual(answer.body.result, { error: words, '[token]': ['[token]', 17] })
    else t.true(answer.failure.error.includes(words), answer.failure.error)
    const agent = await agentOf(someone, { sites: [{ vaultEntryId: entryId }], systemPrompt: '[[call act]]' })
    const { id } = (await call(someone, agentRuns.startRun, { params: { agentId: agent.id } })).body
    ids.runIds.push(id)
    ids.agentIds.push(agent.id)
    t.is((await ended(someone, id, 40)).status, 'completed')
    const timeline = JSON.stringify(await timelineOf(someone, id))
    t.true(timeline.includes('[token]') && timeline.includes(said), String(code))
    bodies.push(timeline)
  }

  await database('vault_entries')
    .where({ id: entryId })
    .update({ refresh_after: new Date(0), expires_at: new Date(0) })
  site.token = (_request, response) => {
    const token = site.tokenForms.at(-1)?.get('refresh_token')
    const error = { error: 'invalid_grant', error_description: `${token} was revoked, ${said}` }
    response.writeHead(400, { 'Content-Type': 'application/json' }).end(JSON.stringify(error))
  }
  t.true((await use()).failure.error.includes('[token] was revoked'))
  bodies.push(JSON.stringify((await call(someone, notifications.listNotifications)).body))
  for (const table of ['vault_refreshes', 'vault_entries', 'notifications', 'tool_calls', 'run_events'])
    bodies.push(JSON.stringify(await database(table).select()))
  t.true(bodies.slice(-5).filter((text) => text.includes('[token]')).length >= 4)

  const secrets = { ...stage.allSecrets(), refreshToken: refreshToken ?? '' }
  t.deepEqual(sightings(secrets, bodies), [])
  const held = await heldByTemporal(temporal, platform.config.temporal.taskQueue, ids)
  for (const [id, texts] of held) t.deepEqual(sightings({ ...secrets, said }, texts), [], id)
  t.true(platform.logs.some((line) => line.includes('request failed') && line.includes('"TOOL_EXECUTION_ERROR"')))
  t.deepEqual(sightings({ ...secrets, said }, platform.logs), [])
})

test('an operator sees in Temporal what a run is, what it does, and what it waits for', async (t) => {
  const { sites, platform, temporal } = await open()
  const someone = await customer(platform)
  const vaultEntryId = await connectBadTools(someone, sites)
  const systemPrompt = '[[call echo_text {"text":"hello"}]][[call slow_read {"seconds":1.5}]]'
  const agent = await webhookAgent(someone, { sites: [{ vaultEntryId }], systemPrompt })
  const { body: receipt } = await deliver(platform, agent, {})
  const workflowId = `run/${receipt.runId}`
  const details = async () => (await metadataOf(temporal, workflowId).catch(() => undefined))?.currentDetails

  await eventually(20, 'the details say what the run waits for', async () =>
    (await details()) === 'Step 1: waiting for 2 tool call(s).' ? true : undefined,
  )
  const { ownerId } = (
    await temporal.workflow.getHandle(workflowId).fetchHistory()
  ).events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.map(
    ({ data }) => JSON.parse(Buffer.from(data ?? []).toString()) as { ownerId: string },
  )[0] ?? { ownerId: '' }
  t.is((await ended(someone, receipt.runId)).status, 'completed')
  await eventually(20, 'the details say how it ended', async () =>
    (await details()) === 'Ended: completed.' ? true : undefined,
  )

  const run = await temporal.workflow.getHandle(workflowId).describe()
  t.is(await run.staticSummary(), 'webhook run 1 of “An agent”')
  t.deepEqual(searchAttributesOf(run), { AgentId: agent.id, OwnerId: ownerId, Trigger: 'webhook' })
  const queue = await temporal.workflow.getHandle(`agent/${agent.id}`).describe()
  t.is(await queue.staticSummary(), 'Runs of “An agent”, one at a time and in order of arrival')
  t.deepEqual(searchAttributesOf(queue), { AgentId: agent.id, OwnerId: ownerId })

  const { events } = await temporal.workflow.getHandle(workflowId).fetchHistory()
  const summaries = (events ?? [])
    .filter(({ activityTaskScheduledEventAttributes: scheduled }) => scheduled)
    .map(({ userMetadata }) => JSON.parse(Buffer.from(userMetadata?.summary?.data ?? []).toString()) as string)
  // A call that waits for its turn at the host is scheduled again.
  t.deepEqual([...new Set(summaries)], ['step 1', 'echo_text', 'slow_read', 'step 2'])
})

const searchAttributesOf = ({ typedSearchAttributes }: { typedSearchAttributes: TypedSearchAttributes }) =>
  Object.fromEntries(
    typedSearchAttributes
      .getAll()
      .filter(({ key: { name } }) => ['AgentId', 'OwnerId', 'Trigger'].includes(name))
      .map(({ key: { name }, value }) => [name, value]),
  )

/** The members that a schema of an object knows, whatever pipes stand around it. */
const membersOf = (schema: GenericSchema | undefined): string[] =>
  Object.keys((schema as { entries?: object } | undefined)?.entries ?? {})

/** Values that break a declaration in every way, with the canary in each place for a value. */
function wrongValues(schema: GenericSchema, secret: string): unknown[] {
  const values = [secret, [secret], { x: secret }, [{ x: secret }], [[secret]], `https://127.0.0.1/${secret}`]
  const members = ['unknown', ...membersOf(schema)]
  const known = values.flatMap((value) => members.map((name) => ({ [name]: value })))
  return [secret, [secret], 4711, null, ...values.map((value) => allMembers(members, value)), ...known]
}

const allMembers = (members: string[], value: unknown): object =>
  Object.fromEntries(members.map((name) => [name, value]))

test('no problem of a body or a query quotes a value, on any route', (t) => {
  const secret = canary('value')
  let problems = 0
  for (const { name, body, query } of routes)
    for (const schema of [body, query].filter((one): one is GenericSchema => one !== undefined))
      for (const value of wrongValues(schema, secret)) {
        const { message = '', details = [] } = problemOf(schema, value) ?? {}
        t.deepEqual(sightings({ secret }, [message, JSON.stringify(details)]), [], name)
        problems += details.length
      }
  t.true(problems > 1000)
})

function problemOf(schema: GenericSchema, value: unknown): Partial<CodedError> | undefined {
  try {
    validated(schema, value, 'It is not valid.')
    return undefined
  } catch (error) {
    return error as CodedError
  }
}

/**
 * Requests to a route with the canary in each place. Bodies go to an agent that is there: where a thing is not, no body is
 * read. What all routes read by the same code is tried on the first of them.
 */
function requestsTo(route: AnyRoute, { url, token }: Person, agentId: string, secret: string, isFirst: boolean) {
  const filled = url + route.path.replaceAll(/\{\w+\}/g, secret)
  const there = url + route.path.replace('{agentId}', agentId).replaceAll(/\{\w+\}/g, secret)
  const takesBody = !['get', 'delete'].includes(route.method)
  const body = takesBody ? JSON.stringify(allMembers(['unknown', ...membersOf(route.body)], secret)) : undefined
  const search = new URLSearchParams(
    [...membersOf(route.query), 'unknown'].map((name) => [name, secret] as [string, string]),
  ).toString()
  const request = (address: string, given = body, by = token, type = 'application/json') => {
    const headers = {
      ...(by !== '' && { authorization: `Bearer ${by}` }),
      'content-type': type,
      'x-webhook-secret': secret,
      'idempotency-key': `${secret} ${secret}`,
      'x-request-id': `${secret} ${secret}`,
      cookie: `session=${secret}`,
    }
    return { address, headers, ...(given !== undefined && { body: given }) }
  }
  const usual = [request(there), request(`${filled}?${search}`)]
  if (!isFirst) return usual
  const broken = [
    `{"a": "${secret}`,
    `{"a": "${secret}\\ud800\\u0000"}`,
    `{"n": 1e999, "a": "${secret}"}`,
    `"${secret}"`,
  ]
  return [
    ...usual,
    ...(takesBody ? broken.map((text) => request(there, text)) : []),
    ...[secret, `sy_key_${secret}`, `${token}${secret}`, ''].map((by) => request(filled, body, by)),
    request(`${filled}?cursor=${secret}&cursor=${secret}`),
    request(filled, body, token, `text/${secret}`),
    request(`${filled}/${secret}%ff`),
  ]
}

test('no failure of any route tells what was sent, neither to the client nor to the log', async (t) => {
  const { platform } = await open()
  const secret = canary('request')
  const newcomer = async () => {
    const someone = await customer(platform)
    return { someone, agentId: (await webhookAgent(someone)).id }
  }
  let { someone, agentId } = await newcomer()
  let failures = 0
  const isNew = firstTime()
  for (const route of routes.filter(({ name }) => !name.startsWith('logout'))) {
    const secrets = { secret, token: someone.token, password: someone.password }
    const logged = platform.logs.length
    const method = route.method.toUpperCase()
    const isFirst = isNew(route.resource ?? route.proof, `${route.access} ${method} ${route.rawBody !== undefined}`)
    let isChanged = false
    for (const { address, ...rest } of requestsTo(route, someone, agentId, secret, isFirst)) {
      const response = await fetch(address, { ...rest, method })
      const text = await response.text()
      isChanged ||= response.ok && method !== 'GET'
      if (response.ok) continue
      if (!address.includes('%ff')) check(route, response.status, JSON.parse(text))
      t.deepEqual(sightings(secrets, [text, JSON.stringify([...response.headers])]), [], route.name)
      failures += 1
    }
    t.deepEqual(sightings(secrets, platform.logs.slice(logged)), [], route.name)
    if (isChanged) ({ someone, agentId } = await newcomer())
  }
  t.true(failures > 300)
})

test('without the database every route fails without telling what was sent', async (t) => {
  const postgres = await openDatabaseDoor(t, (await createTestDatabase(t)).url)
  const platform = await startPlatform(t, { env: { DATABASE_URL: postgres.url } })
  const someone = await person(platform)
  const agent = await agentOf(someone)
  const apiKey = await call(someone, apiKeys.createApiKey, { body: { name: 'A key', scopes: ['read'] } })
  const login = await call(platform, auth.login, { body: { email: someone.email, password: someone.password } })
  const { refreshToken } = login.body
  await postgres.stop()
  const secret = canary('request')
  const secrets = {
    secret,
    token: someone.token,
    password: someone.password,
    apiKey: apiKey.body.key,
    refreshToken,
    databaseUrl: postgres.url,
  }
  const requests = [
    () => call(someone, agents.getAgent, { params: { agentId: agent.id } }),
    () => call(someone, agents.createAgent, { body: { name: secret, systemPrompt: secret, trigger: 'manual' } }),
    () => call(someone, auth.register, { body: { email: `${secret}@example.com`, password: secret } }),
    () => call(someone, auth.login, { body: { email: `${secret}@example.com`, password: secret } }),
    () => call(someone, auth.refresh, { body: { refreshToken } }),
    () => call(someone, auth.changePassword, { body: { currentPassword: secret, newPassword: secret } }),
    () => call(someone, vault.addToVault, { body: { url: 'https://127.0.0.1:64999', token: secret } }),
    () => deliver(platform, { id: agent.id, webhookSecret: secret }, { secret }),
    () => call({ ...someone, token: apiKey.body.key }, agents.listAgents),
  ]
  for (const request of requests) {
    const { status, failure } = await request()
    t.is(status, 500)
    t.is(failure.code, 'INTERNAL_ERROR')
    t.deepEqual(sightings(secrets, [JSON.stringify(failure)]), [])
  }
  t.true(platform.logs.some((line) => line.includes('request failed')))
  t.deepEqual(sightings(secrets, platform.logs), [])
})
