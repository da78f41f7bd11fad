import type { Schema } from '@cfworker/json-schema'
import type { ExecutionContext } from 'ava'
import * as agents from '../../../api/agents.ts'
import type { AnyRoute } from '../../../api/route/route.ts'
import { routes } from '../../../api/routes.ts'
import { call } from '../../helpers/client.ts'
import { contradictions, document } from '../../helpers/declared.ts'
import { badBodies, forEveryRoute, impossibleValues, oddValues, unknownMembers } from '../bad-bodies.ts'
import { send as sendRaw } from '../raw-http.ts'
import { allowedTo, paramsOf, secretOf, validBodies, type Stage } from '../stage.ts'
import type { Refusals } from './unharmed.ts'

type Body = Record<string, unknown>

/** Without that for Stripe, which is not there in the sandbox; its own tests have it. */
const withBody = routes.filter(({ body, rawBody, name }) => body || (rawBody && name !== 'receiveStripeEvent'))
/** Its members are the tool's, and those of a webhook the sender's. */
const withMembers = withBody.filter(({ name }) => name !== 'callTool' && name !== 'receiveWebhook')
/** Their texts are kept as they come, so numbers of any size and odd strings are allowed. */
const exact = withMembers.filter(({ rawBody }) => !rawBody)

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {})

/** Of bodies between which there is a choice the first one, which is that of `validBodies`. */
const schemaOf = ({ path, method }: AnyRoute): Schema => {
  const schema = resolved(document.paths[path]?.[method]?.requestBody?.content?.['application/json']?.schema ?? {})
  return schema.anyOf?.[0] ? resolved(schema.anyOf[0]) : schema
}

/** Makes requests that must all be refused, and counts what else came of them. */
const allRefused =
  (work: (stage: Stage, refused: Refused, t: ExecutionContext) => Promise<void>): Refusals[string] =>
  async (t, stage) => {
    const problems: string[] = []
    let requests = 0
    const refused: Refused = async (route, what, raw, headers) => {
      requests += 1
      const { failure } = await send(stage, route, raw, headers)
      if (failure?.code !== 'VALIDATION_ERROR') problems.push(`${route.name}, ${what}: ${failure?.code ?? 'done'}`)
    }
    await work(stage, refused, t)
    t.deepEqual(problems, [])
    t.true(requests > 0)
    t.log(`${requests} requests`)
  }

async function send(stage: Stage, route: AnyRoute, raw: string | Uint8Array, more: Record<string, string> = {}) {
  const headers = { ...secretOf(stage), ...more }
  const answer = await call(allowedTo(stage, route), route, { params: paramsOf(route, stage.params), raw, headers })
  return { failure: answer.status < 400 ? undefined : answer.failure }
}

type Refused = (
  route: AnyRoute,
  what: string,
  raw: string | Uint8Array,
  headers?: Record<string, string>,
) => Promise<void>

/** By value: the members that it is wrong for. */
function wrongValues({ properties = {} }: Schema): [text: string, names: string[]][] {
  const wrong = (text: string) =>
    Object.entries(properties).filter(([, member]) => contradictions(member as Schema, JSON.parse(text)).length > 0)
  return oddValues
    .map((text): [string, string[]] => [text, wrong(text).map(([name]) => name)])
    .filter(([, names]) => names.length > 0)
}

function validBody({ name }: AnyRoute, sites: Stage['sites']): Body {
  const body = validBodies(sites)[name]
  if (!body) throw new Error(`There is no valid body for ${name}: write one in validBodies.`)
  return body
}

/** The body's JSON with another text in the place of these members; by hand, since no value becomes `1e400`. */
function replaced(body: Body, names: string[], text: string): string {
  const others = Object.entries(body).filter(([name, value]) => !names.includes(name) && value !== undefined)
  const members = others.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  return `{${[...members, ...names.map((name) => `${JSON.stringify(name)}:${text}`)].join(',')}}`
}

/** What is asked with bodies that are refused. */
export const bodies: Refusals = {
  'no route takes a body that is not a JSON object of the right size, type and encoding': allRefused(
    async ({ platform }, refused, t) => {
      const { defaultBytes, webhookBytes } = platform.config.bodies
      for (const [maxBytes, [first, ...others]] of [
        [defaultBytes, withBody.filter(({ rawBody }) => !rawBody)],
        [webhookBytes, withBody.filter(({ rawBody }) => rawBody)],
      ] as const) {
        const bodies = badBodies(maxBytes)
        const some = bodies.filter(({ what }) => forEveryRoute.has(what))
        t.is(some.length, forEveryRoute.size)
        // Bodies of one limit are read by one function: what differs is whether a route has them read.
        for (const [route, those] of [[first, bodies] as const, ...others.map((one) => [one, some] as const)])
          for (const { what, raw, headers } of those)
            if (what !== 'nothing' || !route?.rawBody?.optional) await refused(route as AnyRoute, what, raw, headers)
      }
    },
  ),

  'a body without a content type is refused': async (t, stage) => {
    for (const route of withBody) {
      const { token } = allowedTo(stage, route)
      const named = paramsOf(route, stage.params)
      const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => named[name] ?? '')
      const headers = { authorization: `Bearer ${token}`, ...secretOf(stage) }
      const answer = await sendRaw(stage.platform.url, {
        method: route.method.toUpperCase(),
        path,
        headers,
        body: '{}',
      })
      t.is(answer.code, 'VALIDATION_ERROR', route.name)
    }
  },

  'no route takes a member of a wrong type, or leaves out one that it needs': allRefused(async (stage, refused) => {
    for (const route of withMembers) {
      const schema = schemaOf(route)
      const valid = validBody(route, stage.sites)
      for (const [text, names] of wrongValues(schema)) {
        const { failure } = await send(stage, route, replaced(valid, names, text))
        const named = new Set(failure?.details?.map(({ path }) => path))
        // What the refusal of all does not name as wrong is refused for itself.
        for (const name of names.filter((one) => !named.has(one)))
          await refused(route, `${name}: ${text.slice(0, 40)}`, replaced(valid, [name], text))
      }
      for (const name of schema.required ?? [])
        await refused(route, `without ${name}`, JSON.stringify({ ...valid, [name]: undefined }))
    }
  }),

  'no route takes a value that is refused wherever it stands': allRefused(async ({ sites }, refused) => {
    for (const route of exact) {
      const names = Object.keys(schemaOf(route).properties ?? {})
      const valid = validBody(route, sites)
      // Every member and every value once at least: what is refused is refused before anybody looks at members.
      for (let index = 0; index < Math.max(names.length, impossibleValues.length); index += 1) {
        const [name = '', text = ''] = [names[index % names.length], impossibleValues[index % impossibleValues.length]]
        await refused(route, `${name}: ${text}`, replaced(valid, [name], text))
      }
    }
  }),

  'no route takes members that it does not know': allRefused(async ({ sites }, refused) => {
    for (const route of withMembers) {
      const valid = JSON.stringify(validBody(route, sites))
      for (const member of unknownMembers) await refused(route, member, `${valid.slice(0, -1)},${member}}`)
    }
  }),

  'what is inside lists is checked too': allRefused(async ({ sites, params }, refused) => {
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
          await refused(route, `${name}: ${text.slice(0, 60)}`, replaced(valid, [name], text))
        }
  }),

  'arguments of a tool are checked before anything is sent': allRefused(async ({ sites }, refused, t) => {
    const route = routes.find(({ name }) => name === 'callTool') as AnyRoute
    const before = sites.badTools.requests().length
    for (const value of ['null', 'true', '1', '[]', '{}', ...impossibleValues])
      await refused(route, value, `{"text":${value}}`)
    await refused(route, '__proto__', '{"text":"a","__proto__":{"text":"b"}}')
    t.is(sites.badTools.requests().length, before)
  }),
}
