import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import test from 'ava'
import { createCheck } from '../../conformance/check.ts'
import type { Facts } from '../../conformance/facts.ts'
import type { Row } from '../../conformance/row.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { startFakePlatform } from './fake-platform.ts'

const rowOf = (id: string, run: Row['run']): Row => ({ id, says: 'a row of the test', run })

const start = (base: string, rows: Row[], facts?: Facts) => {
  const said: string[] = []
  return { said, check: createCheck({ base, facts, rows, say: (text) => said.push(text) }) }
}

/** Facts of an installation with one port for sites of the check. */
async function factsOf(api: string, port = 0): Promise<Facts> {
  const { caFile: siteCaFile, certFile, keyFile } = await temporaryCertificates()
  return {
    api,
    admin: { email: 'admin@example.com', password: 'a long password' },
    sites: { issueTracker: api, badTools: api, brokenManifest: api, contacts: api },
    deadSite: api,
    siteCaFile,
    ownSites: { ports: [port], certFile, keyFile },
    cards: null,
    directives: false,
  }
}

test('what is not Switchyard, or not ready, is not checked, and one sentence says why', async (t) => {
  const answers = [
    [{ status: 501, body: 'Unsupported method' }, 'The server at this address is not Switchyard. (GET /readyz: 501'],
    [{ body: { status: 'ok' } }, 'The server at this address is not Switchyard. (GET /readyz: 200'],
    [{ status: 500, body: { code: 'INTERNAL_ERROR' } }, 'Switchyard is not ready. (GET /readyz: 500 INTERNAL_ERROR'],
    [{ body: { status: 'ok', temporal: 'away' } }, 'Switchyard cannot reach Temporal: no run would start.'],
    [
      { status: 308, headers: { location: 'https://one.example/readyz' } },
      'The server there redirects to https://one.example. Give the address of Switchyard itself.',
    ],
  ] as const
  for (const [reply, sentence] of answers) {
    const { origin, asked } = await startFakePlatform(t, { 'GET /readyz': reply })
    const { check } = start(origin, [rowOf('a/row', async () => 'evidence')])
    const error = await t.throwsAsync(check.run())
    t.true(error.message.startsWith(sentence), error.message)
    t.deepEqual(asked, ['GET /readyz'])
  }
})

test('afterwards the account of a row is deleted and the admin is logged out', async (t) => {
  const { origin, asked } = await startFakePlatform(t)
  const row = rowOf('a/row', async ({ people }) => {
    await people.free()
    return people.admin()
  })
  const { check, said } = start(origin, [row], await factsOf(origin))
  t.like(await check.run(), [{ verdict: 'passed' }])
  t.deepEqual(asked.slice(-2), ['DELETE /auth/me', 'POST /auth/logout'])
  t.deepEqual([said, check.staying()], [[], []])
})

test('what could not be deleted is said, and the account that stays is named', async (t) => {
  const failed = { status: 500, body: { code: 'INTERNAL_ERROR' } }
  const { origin } = await startFakePlatform(t, {
    'GET /agents': { body: { items: [{ id: 'one' }, { id: 'two' }] } },
    'DELETE /agents/two': failed,
    'DELETE /auth/me': failed,
    'DELETE /billing/subscription': { status: 404 },
    'GET /workspaces': { status: 403, body: { code: 'TERMS_NOT_ACCEPTED' } },
  })
  const row = rowOf('a/row', async ({ people }) => (await people.newcomer()).email)
  const { check, said } = start(origin, [row])
  const [judged] = await check.run()
  const email = judged?.evidence ?? ''
  t.deepEqual(check.staying(), [email])
  const [sentence = ''] = said
  t.true(sentence.startsWith(`Not all that ${email} has is deleted: DELETE /agents/two answered 500 INTERNAL_ERROR in`))
  t.regex(sentence, /; DELETE \/auth\/me answered 500 INTERNAL_ERROR in \d+ ms$/)
})

test('a stop begins nothing more, and also deletes the account that is being made', async (t) => {
  const held: (() => void)[] = []
  const platform = await startFakePlatform(t, {
    'POST /auth/register': (_request, response) => void held.push(() => response.writeHead(201).end('{"id":"an-id"}')),
  })
  const { check } = start(platform.origin, [
    rowOf('a/passed', async () => 'evidence'),
    rowOf('a/row', async ({ people }) => (await people.newcomer()).id),
  ])
  const running = check.run()
  await platform.untilAsked('POST /auth/register')
  check.stop()
  t.is(check.staying().length, 1)
  for (const answer of held) answer()
  t.like(await running, { 0: { row: { id: 'a/passed' } }, length: 1 })
  const first = ['GET /readyz', 'GET /billing/tiers', 'POST /auth/register', 'POST /auth/login']
  t.deepEqual(platform.asked.slice(0, 4), first)
  t.is(platform.asked.at(-1), 'DELETE /auth/me')
  t.deepEqual(check.staying(), [])
})

test('rows whose port is taken are not tried', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as AddressInfo
  const { origin } = await startFakePlatform(t)
  const row = rowOf('a/row', async ({ sites }) => (await sites.at('plain')).origin)
  const { check } = start(origin, [row], await factsOf(origin, port))
  const [judged] = await check.run()
  t.is(judged?.verdict, 'not tried')
  t.regex(judged?.evidence ?? '', new RegExp(`^Port ${port} is taken: another check is running`))
})
