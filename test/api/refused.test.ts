// @promise bad-requests
import { gzipSync } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import * as v from 'valibot'
import * as agents from '../../api/agents.ts'
import * as health from '../../api/health.ts'
import { codesOf } from '../../api/route/route-rules.ts'
import type { AnyRoute } from '../../api/route/route.ts'
import { routes } from '../../api/routes.ts'
import { writeCursor } from '../../src/database/cursor.ts'
import { newId } from '../../src/ids.ts'
import { call } from '../helpers/client.ts'
import { forWholeFile } from '../helpers/whole-file.ts'
import { firstTime } from './first-time.ts'
import { send, type RawAnswer } from './raw-http.ts'
import { snapshot } from './snapshot.ts'
import { allowedTo, noteUses, openStage, paramsOf, secretOf, validBodies, validQueries, type Stage } from './stage.ts'

/* Bodies, queries and paths that every route refuses, and that leave nothing behind. */

const open = forWholeFile(test, 'requests that are refused', async (t) => {
  const stage = await openStage(t)
  await noteUses(stage)
  return { stage, before: await snapshot(stage.platform.services.database) }
})

/** Does what does nothing: afterwards the tables are the same, and the platform still serves. */
async function unharmed(t: ExecutionContext, work: (stage: Stage) => Promise<void>): Promise<void> {
  const { stage, before } = await open()
  await work(stage)
  t.deepEqual(await snapshot(stage.platform.services.database), before)
  t.is((await call(stage.nobody, health.readyz)).status, 200)
}

interface Sent {
  path?: string
  body?: string | Uint8Array
  headers?: Record<string, string>
}

/** The request of a route by somebody to whom it is open, right in all but what is given. */
function ask(stage: Stage, route: AnyRoute, { path, body, headers }: Sent): Promise<RawAnswer> {
  const valid = validBodies(stage.sites)[route.name]
  return send(stage.platform.url, {
    method: route.method.toUpperCase(),
    path: path ?? fill(route.path, paramsOf(route, stage.params)),
    headers: {
      authorization: `Bearer ${allowedTo(stage, route).token}`,
      'content-type': 'application/json',
      ...secretOf(stage),
      ...headers,
    },
    ...(body === undefined ? valid && { body: JSON.stringify(valid) } : { body }),
  })
}

const fill = (path: string, values: Record<string, string>): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '')

/** Without that for Stripe, which is not there in the sandbox. */
const withBody = routes.filter(({ body, rawBody, name }) => body || (rawBody && name !== 'receiveStripeEvent'))

const encoded = (encoding: string, body: string | Uint8Array): Sent => ({
  body,
  headers: { 'content-encoding': encoding },
})

/** Bodies that no route takes. The first ones are tried on every route, all of them on one of each way to read. */
const badBodies = (maxBytes: number): Record<string, Sent> => ({
  'a list': { body: '[]' },
  'another type': { body: '{}', headers: { 'content-type': 'text/plain' } },
  'a byte too long': { body: `{}${' '.repeat(maxBytes - 1)}` },
  'half an object': { body: '{"a":1' },
  'two objects': { body: '{"a":1}{"a":1}' },
  'a number': { body: '1e400' },
  'broken UTF-8': { body: Buffer.from('{"name":"caf\u00e9"}', 'latin1') },
  'a surrogate in UTF-8': { body: Buffer.from('7b2261223a22eda080227d', 'hex') },
  'ten thousand objects': { body: '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000) },
  'a gzip bomb': encoded('gzip', gzipSync(`{"a":"${' '.repeat(20 * maxBytes)}"}`)),
  'truncated gzip': encoded('gzip', gzipSync('{"a":1}').subarray(0, 12)),
  'gzip that is none': encoded('gzip', '{}'),
  'an encoding that is not offered': encoded('compress', '{}'),
})

test('no route takes a body that is not a JSON object of the right size, type and encoding', (t) =>
  unharmed(t, async (stage) => {
    const { defaultBytes, webhookBytes } = stage.platform.config.bodies
    const isNew = firstTime()
    for (const route of withBody) {
      const all = Object.entries(badBodies(route.rawBody ? webhookBytes : defaultBytes))
      for (const [what, sent] of isNew('reader', String(Boolean(route.rawBody))) ? all : all.slice(0, 1))
        t.is((await ask(stage, route, sent)).code, 'VALIDATION_ERROR', `${route.name}: ${what}`)
    }
  }))

// The members of a tool's arguments are the tool's, and those of a webhook the sender's.
test('no route takes a member that it does not know, or a value that is refused wherever it stands', (t) =>
  unharmed(t, async (stage) => {
    for (const { name, body } of withBody.filter((route) => route.body && route.name !== 'callTool')) {
      const valid = validBodies(stage.sites)[name]
      t.true(v.safeParse(body as v.GenericSchema, valid).success, name)
      t.false(v.safeParse(body as v.GenericSchema, { ...valid, surprise: 1 }).success, name)
    }
    const start = '"name":"A","systemPrompt":"Report.","trigger":"manual"'
    const odd = ['"surprise":1', '"__proto__":{"admin":true}', '"toString":"x"', '"":1', '"a.b":1']
    const texts = [
      '9007199254740993',
      '1e400',
      '"a\\u0000b"',
      '"\\ud800"',
      '{"__proto__":{"admin":true}}',
      '["\\u0000"]',
    ]
    for (const member of [...odd, ...texts.map((text) => `"name":${text}`)]) {
      const body = `{${start},${member}}`
      t.is((await ask(stage, agents.createAgent as AnyRoute, { body })).code, 'VALIDATION_ERROR', member)
    }
  }))

const oddTimes = ['', 'now', '2026-11-21', '2026-02-30T09:00:00Z', '2026-11-21T09:00:00%2B24:00', '1763715600000']
const oddIds = ['', '%00', 'abc', 'me', `${newId()}x`, `{${newId()}}`]

/** By the name of a parameter, values that no route takes for it. */
const oddValues: Record<string, string[]> = {
  since: oddTimes,
  until: oddTimes,
  limit: ['1001', '0', '-1', '1.5', '', '0x10', '%D9%A1', 'NaN', '%E0%A4%A', '1&limit=2'],
  order: ['', 'oldest', 'ARRIVAL', 'arrival&order=newest'],
  cursor: [
    '',
    'abc',
    '%00',
    'a&cursor=b',
    writeCursor('runs', 'zzz'),
    Buffer.from("' or 1=1 --").toString('base64url'),
  ],
  status: ['nonsense', '', 'queued&status=running', 'queued%00'],
  trigger: ['nonsense', '', 'Manual'],
  after: ['-1', 'x', '1e3', '', '2147483648', '%00'],
  ...Object.fromEntries(['agentId', 'sessionId', 'workspaceId', 'actorId', 'ownerId'].map((name) => [name, oddIds])),
}

test('a query that is not understood is refused, on every route that takes one', (t) =>
  unharmed(t, async (stage) => {
    const isNew = firstTime()
    for (const route of routes.filter(({ query }) => query)) {
      const { entries } = route.query as { entries: Record<string, unknown> }
      const given = { ...validQueries[route.name], nonsense: '1' }
      // To a page that browsers return to, others may have added something.
      if (!route.browser) t.false(v.safeParse(route.query as v.GenericSchema, given).success, route.name)
      // Parameters of one schema are read alike, and all queries by the same code.
      const odd = Object.entries(entries).flatMap(([name, schema]) =>
        isNew(schema, name) ? (oddValues[name] ?? []).map((value) => `${name}=${value}`) : [],
      )
      for (const query of [...(isNew('code', '') ? ['nonsense=1', '__proto__=1', 'limit[]=1'] : []), ...odd]) {
        const path = `${fill(route.path, paramsOf(route, stage.params))}?${query}`
        t.is((await ask(stage, route, { path })).code, 'VALIDATION_ERROR', `${route.name}?${query}`)
      }
    }
  }))

const noIds = (real: string): string[] => [
  'null',
  `${real}x`,
  '%00',
  '%E0%A4%A',
  '..',
  '%2e%2e',
  "'%20or%20'1'='1",
  '%C0%80',
  'a'.repeat(5000),
  `${real}%00`,
  `%20${real}`,
  real.slice(0, -1),
]

/** Routes that find their resource by the same function read its identifier alike; all values are tried once for each name. */
function oddIdsFor(
  isNew: ReturnType<typeof firstTime>,
  { resource, name: route }: AnyRoute,
  name: string,
  real: string,
) {
  if (!isNew(resource ?? route, name)) return []
  return isNew('all', name) ? noIds(real) : noIds(real).slice(0, 2)
}

test('an identifier that is none is answered as one that is not there, on every route', (t) =>
  unharmed(t, async (stage) => {
    const isNew = firstTime()
    for (const route of routes.filter(({ name }) => name !== 'finishSignIn')) {
      const params = paramsOf(route, stage.params)
      // A host, a month and the number of a version are no ids, and the id of a chat may be anything.
      for (const name of Object.keys(params).filter((one) => !['host', 'month', 'version', 'chatId'].includes(one)))
        for (const odd of oddIdsFor(isNew, route, name, params[name] ?? '')) {
          const path = fill(route.path, { ...params, [name]: odd })
          const { status, code = '' } = await ask(stage, route, { path })
          t.is(status, 404, `${route.name}, ${name} ${odd}: ${code}`)
          t.true(
            code === 'NOT_FOUND' || (code.endsWith('_NOT_FOUND') && codesOf(route).some((one) => one === code)),
            code,
          )
        }
    }
  }))
