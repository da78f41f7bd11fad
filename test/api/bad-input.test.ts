import { Validator, type Schema } from '@cfworker/json-schema'
import test, { type ExecutionContext } from 'ava'
import * as agents from '../../api/agents.ts'
import { openapi } from '../../api/openapi.ts'
import type { AnyRoute } from '../../api/route.ts'
import { routes } from '../../api/routes.ts'
import { call } from '../helpers/client.ts'
import { badBodies, impossibleValues, oddValues, unknownMembers } from './bad-bodies.ts'
import { send } from './raw-http.ts'
import { allowedTo, paramsOf, secretOf, validBodies, type Stage } from './stage.ts'
import { unharmed } from './unharmed.ts'

type Body = Record<string, unknown>

const withBody = routes.filter((route) => route.body || route.rawBody)
/** Its members are the tool's, and those of a webhook the sender's. */
const withMembers = withBody.filter(({ name }) => name !== 'callTool' && name !== 'receiveWebhook')

const { paths } = openapi(routes, 'http://test') as {
  paths: Record<string, Record<string, { requestBody: { content: Record<string, { schema: Schema }> } }>>
}
/** Of bodies between which there is a choice the first one, which is that of `validBodies`. */
const schemaOf = ({ path, method }: AnyRoute): Schema => {
  const schema = paths[path]?.[method]?.requestBody.content['application/json']?.schema ?? {}
  return schema.anyOf?.[0] ?? schema
}

/** Makes requests that must all be refused, and counts what else came of them; nothing else may have changed. */
const allRefused = (t: ExecutionContext, work: (stage: Stage, refused: Refused) => Promise<void>) =>
  unharmed(t, async (stage) => {
    const problems: string[] = []
    let requests = 0
    await work(stage, async (route, what, raw, headers) => {
      requests += 1
      const params = paramsOf(route, stage.params)
      const answer = await call(allowedTo(stage, route), route, {
        params,
        raw,
        headers: { ...secretOf(stage), ...headers },
      })
      const outcome = answer.status < 400 ? 'done' : answer.failure.code
      if (outcome !== 'VALIDATION_ERROR') problems.push(`${route.name}, ${what}: ${outcome}`)
    })
    t.deepEqual(problems, [])
    t.true(requests > 0)
    t.log(`${requests} requests`)
  })

type Refused = (
  route: AnyRoute,
  what: string,
  raw: string | Uint8Array,
  headers?: Record<string, string>,
) => Promise<void>

test('no route takes a body that is not a JSON object of the right size, type and encoding', (t) =>
  allRefused(t, async ({ platform }, refused) => {
    const { defaultBytes, webhookBytes } = platform.config.bodies
    for (const route of withBody) {
      const bodies = badBodies(route.rawBody ? webhookBytes : defaultBytes)
      for (const { what, raw, headers } of bodies) await refused(route, what, raw, headers)
    }
  }))

test('a body without a content type is refused', (t) =>
  unharmed(t, async (stage) => {
    for (const route of withBody) {
      const { token } = allowedTo(stage, route)
      const named = paramsOf(route, stage.params)
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? '')
      const headers = { authorization: `Bearer ${token}`, ...secretOf(stage) }
      const answer = await send(stage.platform.url, { method: route.method.toUpperCase(), path, headers, body: '{}' })
      t.is(answer.code, 'VALIDATION_ERROR', route.name)
    }
  }))

test('no route takes a member of a wrong type, or leaves out one that it needs', (t) =>
  allRefused(t, async ({ sites }, refused) => {
    for (const route of withMembers) {
      const schema = schemaOf(route)
      const valid = validBody(route, sites)
      for (const [name, member] of Object.entries(schema.properties ?? {})) {
        const fits = new Validator(member, '2020-12')
        const wrong = oddValues.filter((text) => !fits.validate(JSON.parse(text)).valid)
        for (const text of [...wrong, ...impossibleValues])
          await refused(route, `${name}: ${text.slice(0, 40)}`, replaced(valid, name, text))
      }
      for (const name of schema.required ?? [])
        await refused(route, `without ${name}`, JSON.stringify({ ...valid, [name]: undefined }))
    }
  }))

test('no route takes members that it does not know', (t) =>
  allRefused(t, async ({ sites }, refused) => {
    for (const route of withMembers) {
      const valid = JSON.stringify(validBody(route, sites))
      for (const member of unknownMembers) await refused(route, member, `${valid.slice(0, -1)},${member}}`)
    }
  }))

test('what is inside lists is checked too', (t) =>
  allRefused(t, async ({ sites, params }, refused) => {
    const valid = validBody(agents.createAgent as AnyRoute, sites)
    const entry = { vaultEntryId: params['entryId'] }
    const lists = {
      sites: [[{}], [[]], [entry, entry], [{ ...entry, tools: [1] }], [{ ...entry, tools: ['no_such_tool'] }]]
        .concat([[{ ...entry, admin: true }], [{ vaultEntryId: 'x' }], [{ vaultEntryId: { like: '%' } }]])
        .concat([Array.from({ length: 51 }, () => entry)]),
      webhookSchema: [[{}], [[]], [{ name: 'a' }], [{ name: 'a', type: 'date' }], [{ name: '', type: 'string' }]]
        .concat([[{ name: 'a', type: 'string', required: 'yes' }], [{ name: 'a', type: 'string', admin: true }]])
        .concat([Array.from({ length: 2 }, () => ({ name: 'a', type: 'string' }))]),
    }
    for (const route of [agents.createAgent, agents.updateAgent] as AnyRoute[])
      for (const [name, values] of Object.entries(lists))
        for (const value of values) {
          const text = JSON.stringify(value)
          await refused(route, `${name}: ${text.slice(0, 60)}`, replaced(valid, name, text))
        }
  }))

test('arguments of a tool are checked before anything is sent', (t) =>
  allRefused(t, async ({ sites }, refused) => {
    const route = routes.find(({ name }) => name === 'callTool') as AnyRoute
    const before = sites.badTools.requests().length
    for (const value of ['null', 'true', '1', '[]', '{}', ...impossibleValues])
      await refused(route, value, `{"text":${value}}`)
    await refused(route, '__proto__', '{"text":"a","__proto__":{"text":"b"}}')
    t.is(sites.badTools.requests().length, before)
  }))

function validBody({ name }: AnyRoute, sites: Stage['sites']): Body {
  const body = validBodies(sites)[name]
  if (!body) throw new Error(`There is no valid body for ${name}: write one in validBodies.`)
  return body
}

/** The body's JSON with another text in the place of one member; by hand, since no value becomes `1e400`. */
function replaced(body: Body, name: string, text: string): string {
  const others = Object.entries({ ...body, [name]: undefined }).filter(([, value]) => value !== undefined)
  const members = others.map(([other, value]) => `${JSON.stringify(other)}:${JSON.stringify(value)}`)
  return `{${[...members, `${JSON.stringify(name)}:${text}`].join(',')}}`
}
