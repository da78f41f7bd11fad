// @promise host-limit
import { randomBytes } from 'node:crypto'
import test from 'ava'
import * as admin from '../../api/admin.ts'
import * as auth from '../../api/auth.ts'
import { createHostProposals } from '../../src/tools/host-proposals.ts'
import { adminOf } from '../helpers/admins.ts'
import { call } from '../helpers/client.ts'
import { startPlatform } from '../helpers/platform.ts'
import { forWholeFile } from '../helpers/whole-file.ts'

const openPlatform = forWholeFile(test, 'admins', async (t) => {
  const platform = await startPlatform(t)
  const root = await adminOf(platform, 'root@example.com')
  return { platform, root, rootId: (await call(root, auth.me)).body.id }
})

/** What the hosts of tests end with, and those of the wide world do not. */
const ofTests = '.of-a-test.example'

/** The platform, and hosts that no other test names. */
async function open() {
  const { platform, root, rootId } = await openPlatform()
  const domain = randomBytes(6).toString('hex') + ofTests
  const host = (name: string) => `${name}.${domain}`
  const all = async () => (await call(root, admin.listHosts)).body.items
  const list = async () => (await all()).filter((one) => one.host.includes(domain))
  const suspend = (name: string, reason = 'Too many complaints') =>
    call(root, admin.suspendHost, { params: { host: name }, body: { reason } })
  const lift = (name: string) => call(root, admin.liftHost, { params: { host: name } })
  return { platform, root, rootId, host, all, list, suspend, lift }
}

test('an admin suspends a host, sees it, and lifts the suspension', async (t) => {
  const { platform, rootId, host, list, suspend, lift } = await open()
  t.deepEqual(await list(), [])
  const { body } = await suspend(host('tools'))
  t.like(body, { host: host('tools'), held: null, suspended: { by: rootId, reason: 'Too many complaints' } })
  await suspend(`${host('b')}:8443`).then((answer) => answer.body)
  t.deepEqual((await list())[1], body)
  t.deepEqual(
    (await list()).map((one) => one.host),
    [`${host('b')}:8443`, host('tools')],
  )
  t.is((await lift(host('tools'))).status, 204)
  t.is((await lift(host('tools'))).failure.code, 'NOT_FOUND')
  t.is((await lift(host('b'))).failure.code, 'NOT_FOUND')
  t.deepEqual(
    (await list()).map((one) => one.host),
    [`${host('b')}:8443`],
  )
  const lines = platform.logs.map((line) => JSON.parse(line) as { host?: string } & Record<string, unknown>)
  const said = lines.filter((line) => line.host?.includes(host('')))
  t.deepEqual(
    said.map((line) => [line['level'], line['userId'], line.host, line['msg']]),
    [
      ['info', rootId, host('tools'), 'host suspended'],
      ['info', rootId, `${host('b')}:8443`, 'host suspended'],
      ['info', rootId, host('tools'), 'host suspension lifted'],
    ],
  )
})

test('an admin sets the limit of a host and takes it back, and sees what a manifest asks for', async (t) => {
  const { platform, root, host, list } = await open()
  const params = { host: host('busy') }
  const limit = (callsPerMinute: number) => call(root, admin.limitHost, { params, body: { callsPerMinute } })
  const unlimit = () => call(root, admin.unlimitHost, { params })
  const without = { host: params.host, held: null, suspended: null, proposedPerMinute: null }
  t.is((await unlimit()).failure.code, 'NOT_FOUND')
  t.deepEqual((await limit(60)).body, { ...without, callsPerMinute: 60 })
  t.deepEqual((await limit(120)).body, { ...without, callsPerMinute: 120 })
  t.deepEqual(await list(), [{ ...without, callsPerMinute: 120 }])
  const calm = { params: { host: host('calm') } }
  await call(root, admin.limitHost, { ...calm, body: { callsPerMinute: 7 } })
  for (const wrong of [0, -1, 1.5, 6001, '60']) t.is((await limit(wrong as number)).failure.code, 'VALIDATION_ERROR')
  t.is((await unlimit()).status, 204)
  t.like(await list(), { 0: { host: host('calm'), callsPerMinute: 7 }, length: 1 })
  t.is((await call(root, admin.unlimitHost, calm)).status, 204)
  t.deepEqual(await list(), [])
  const manifest = (limits: unknown, origin: string) => ({ server: { url: `${origin}/api` }, limits }) as never
  const note = createHostProposals({ database: platform.services.database, config: platform.config })
  await note(`https://${host('eager')}`, manifest({ calls_per_minute: 300 }, `https://${host('eager')}`))
  await note(`https://${host('mallory')}`, manifest({ calls_per_minute: 1 }, `https://${host('eager')}`))
  await limit(60)
  t.deepEqual(
    (await list()).map(({ host, callsPerMinute, proposedPerMinute }) => [host, callsPerMinute, proposedPerMinute]),
    [
      [params.host, 60, null],
      [host('eager'), null, 300],
    ],
    'what strangers ask for comes last',
  )
  for (const limits of [{ calls_per_minute: '300' }, { calls_per_minute: 1e9 }, 'many', null, undefined]) {
    await note(`https://${host('eager')}`, manifest(limits, `https://${host('eager')}`))
    t.false(
      (await list()).some(({ proposedPerMinute }) => proposedPerMinute !== null),
      JSON.stringify(limits),
    )
  }
})

test('a shorter pause ends no longer one, and purging leaves what was decided about a host', async (t) => {
  const { platform, root, host, list, suspend, lift } = await open()
  const { outgoingLimit, database } = platform.services
  const until = await outgoingLimit.hold(host('held'), 600, 'The site responded with 429.')
  t.deepEqual(await outgoingLimit.hold(host('held'), 60, 'The site responded with 503.'), until)
  await outgoingLimit.hold(host('longest'), 30, 'The site responded with 429.')
  const longest = await outgoingLimit.hold(host('longest'), 1e6, 'The site responded with 503.')
  t.true(longest.getTime() - Date.now() > 30_000, 'a longer one takes its place')
  t.true(longest.getTime() - Date.now() < 2 * platform.config.sites.holdMinutes * 60_000)
  await call(root, admin.limitHost, { params: { host: host('limited') }, body: { callsPerMinute: 5 } })
  const first = (await suspend(host('suspended'))).body.suspended
  const other = await adminOf(platform)
  const params = { host: host('suspended') }
  const { body: again } = await call(other, admin.suspendHost, { params, body: { reason: 'Another reason' } })
  const by = (await call(other, auth.me)).body.id
  t.deepEqual(again.suspended, { ...first, by, reason: 'Another reason' })
  const asked = { server: { url: `https://${host('asks')}/api` }, limits: { calls_per_minute: 300 } } as never
  await createHostProposals({ database: platform.services.database, config: platform.config })(
    `https://${host('asks')}`,
    asked,
  )
  const before = await list()
  t.like(before[0], {
    host: host('held'),
    held: { until: until.toISOString(), reason: 'The site responded with 429.' },
  })
  await outgoingLimit.purge()
  t.deepEqual(await list(), before)

  // What is known of a host ends by itself, each for itself.
  await call(root, admin.limitHost, { params, body: { callsPerMinute: 5 } })
  await suspend(host('longest'))
  t.like((await list())[2], { host: host('longest'), held: { reason: 'The site responded with 503.' } })
  for (const name of ['suspended', 'longest']) t.is((await lift(host(name))).status, 204)
  const row = (name: string) => database('outgoing_hosts').where({ host: host(name) })
  for (const name of ['held', 'limited']) await row(name).update({ heldUntil: new Date(Date.now() - 1000) })
  t.like(await list(), { 0: { host: host('limited'), held: null } })
  await row('asks').update({ proposedAt: new Date(Date.now() - 31 * 86_400_000) })
  const ended = await call(root, admin.endHold, { params: { host: host('held') } })
  t.is(ended.failure.code, 'NOT_FOUND')
  const left = async () => (await list()).map((one) => one.host)
  t.deepEqual(await left(), ['limited', 'longest', 'suspended', 'asks'].map(host))
  await outgoingLimit.purge()
  t.deepEqual(await left(), ['limited', 'longest', 'suspended'].map(host))
})

const bad = ['Tools.example.com', 'tools.example.com:443', 'tools.example.com:', 'tools.example.com:99999']
  .concat(['https://tools.example.com', 'tools.example.com/path', 'user@tools.example.com', 'tools.example.com?a'])
  .concat([
    'two words',
    'b\u00fccher.example',
    'tools.example.com\u0000',
    '*.example.com',
    '0x7f.1',
    '[::1',
    'a'.repeat(5000),
  ])

test('what is no host, or is not written as in a URL, is refused', async (t) => {
  const { all, suspend, lift } = await open()
  const outside = async () => (await all()).filter(({ host }) => !host.includes(ofTests))
  for (const host of bad) {
    const refused = await suspend(host)
    t.is(refused.failure.code, 'VALIDATION_ERROR', host)
    t.is(refused.failure.details?.[0]?.path, 'host')
    t.is((await lift(host)).failure.code, 'VALIDATION_ERROR', host)
  }
  t.regex((await suspend('B\u00fccher.example')).failure.details?.[0]?.message ?? '', /xn--bcher-kva\.example/)
  t.deepEqual(await outside(), [])
  for (const reason of ['', 'x'.repeat(501)])
    t.is((await suspend('tools.example.com', reason)).failure.code, 'VALIDATION_ERROR')
  for (const host of ['127.0.0.1:4401', '[::1]:4401', 'localhost', 'xn--bcher-kva.example'])
    t.is((await suspend(host)).body.host, host)
  t.is((await outside()).length, 4)
})
