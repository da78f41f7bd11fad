import test from 'ava'
import * as admin from '../../../api/admin.ts'
import * as vault from '../../../api/vault.ts'
import { limitedHost } from '../../../src/tools/limited-host.ts'
import { adminOf } from '../../helpers/admins.ts'
import { call } from '../../helpers/client.ts'
import { person } from '../../helpers/people.ts'
import { openStage } from '../../helpers/runs.ts'

test('the ports of a host share its limit, unless they count', (t) => {
  const of = (url: string) => [false, true].map((countPorts) => limitedHost(url, { countPorts }))
  t.deepEqual(of('https://Site.example:8443/api'), ['site.example', 'site.example:8443'])
  t.deepEqual(of('https://site.example.:443/'), ['site.example', 'site.example'])
  t.deepEqual(of('https://[2001:DB8::1]:8443/'), ['[2001:db8::1]', '[2001:db8::1]:8443'])
  t.deepEqual(of('https://shop.site.example/'), ['shop.site.example', 'shop.site.example'])
})

test('calls to three ports of one host are limited together, and its suspension is for all of them', async (t) => {
  const env = { OUTGOING_COUNT_PORTS: 'false', OUTGOING_PER_MINUTE: '4' }
  const { platform, spares } = await openStage(t, { env, worker: false, spare: 3 })
  const someone = await person(platform)
  const entries: string[] = []
  for (const { origin } of spares) {
    entries.push((await call(someone, vault.addToVault, { body: { url: origin, token: 'a-token' } })).body.id)
  }
  t.is(new Set(spares.map(({ origin }) => new URL(origin).hostname)).size, 1)
  const use = (entryId: string) =>
    call(someone, vault.callTool, { params: { entryId, toolName: 'echo_text' }, body: { text: 'a' } })
  const answers = await Promise.all([...entries, ...entries].map(use))
  t.is(answers.filter(({ status }) => status === 200).length, 4)
  const refused = answers.filter(({ status }) => status !== 200)
  for (const { failure } of refused) t.is(failure?.code, 'OUTGOING_RATE_LIMITED')
  t.deepEqual((await platform.services.database('outgoing_hosts').select('host')).length, 1)

  const root = await adminOf(platform)
  const { host, hostname } = new URL(spares[0]!.origin)
  const suspend = (name: string) =>
    call(root, admin.suspendHost, { params: { host: name }, body: { reason: 'Complaints' } })
  const { failure } = await suspend(host)
  t.is(failure?.code, 'VALIDATION_ERROR')
  t.regex(failure?.details?.[0]?.message ?? '', new RegExp(`without a port\\. Did you mean ${hostname}\\?$`))
  t.is((await suspend(hostname)).status, 200)
  for (const entryId of entries) t.is((await use(entryId)).failure?.code, 'SITE_UNAVAILABLE')
})
