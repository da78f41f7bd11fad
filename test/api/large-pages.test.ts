// @promise hard-texts
import test from 'ava'
import * as manifests from '../../api/manifests.ts'
import * as runEvents from '../../api/run-events.ts'
import { newId } from '../../src/ids.ts'
import { currentTranscript } from '../helpers/transcripts.ts'
import { ManifestChange } from '../../src/vault/manifests/manifest-change.ts'
import { call } from '../helpers/client.ts'
import { answering, manifestWith, startHostileSite } from '../helpers/hostile-site.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { openManifests } from '../helpers/manifests.ts'
import { customer, deliver, ended, timelineOf, webhookAgent } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'
import * as vault from '../../api/vault.ts'

const mebibyte = 1024 * 1024

test('a timeline of large contents comes in pages of about a mebibyte, and has everything once', async (t) => {
  const site = await startHostileSite(t)
  site.manifest = answering(manifestWith(`${site.origin}/api`))
  const result = `{"text":"${'é'.repeat(300_000)}"}`
  site.tool = answering(result)
  const { caFile } = await temporaryCertificates()
  const budgets = { RUN_TOKENS: '100000000', RUN_CREDITS: '100000000' }
  const env = { SITE_ALLOW: site.host, SITE_CA_FILE: caFile, ...budgets }
  const platform = await startPlatform(t, { env, worker: true })
  const someone = await customer(platform)
  const { id: vaultEntryId } = (await call(someone, vault.addToVault, { body: { url: site.origin, token: 'a-token' } }))
    .body
  const count = 6
  const systemPrompt = Array.from({ length: count }, (_, n) => `[[call act {"n":${n}}]]`).join(' [[then]] ')
  const agent = await webhookAgent(someone, { systemPrompt, sites: [{ vaultEntryId }] })
  const { body } = await deliver(platform, agent, { text: 'x'.repeat(900_000) })
  const run = await ended(someone, body.runId)
  t.is(run.reason, null)

  const sizes: number[] = []
  const numbers: number[] = []
  for (let more = true; more;) {
    const query = { after: String(numbers.length), limit: '1000' }
    const page = await call(someone, runEvents.listEvents, { params: { runId: body.runId }, query })
    const { items, more: isMore } = page.body
    sizes.push(JSON.stringify(items).length)
    numbers.push(...items.map(({ number }) => number))
    more = isMore
  }
  t.deepEqual(
    numbers,
    Array.from({ length: numbers.length }, (_, index) => index + 1),
  )
  // One result and one half of another do not fit together.
  t.true(sizes.length >= 1 + count / 2, `${sizes.length} pages`)
  t.true(Math.max(...sizes) < 2 * mebibyte, sizes.join(' '))
  const events = await timelineOf(someone, body.runId)
  t.is(events.length, numbers.length)
  const results = events.filter(({ kind }) => kind === 'tool.finished').map(({ data }) => data['result'])
  t.deepEqual(
    results,
    Array.from({ length: count }, (): unknown => JSON.parse(result)),
  )
  t.deepEqual(events[0]?.data['payload'], { text: 'x'.repeat(900_000) })

  const { steps } = await currentTranscript(platform, body.runId)
  const seen = steps.flatMap(({ calls }) => calls.map(({ outcome }) => outcome))
  t.is(seen.length, count)
  for (const { text, bytes } of seen) {
    t.true(text.length < 40_000, 'the model gets the beginning, and no more is read')
    t.true(result.startsWith(text))
    t.is(bytes, Buffer.byteLength(result))
  }
})

test('a list of large changes comes in pages of about a mebibyte, and has everything once', async (t) => {
  const { platform, someone, entryId } = await openManifests(t)
  const message = 'm'.repeat(400_000)
  const foundAt = new Date()
  const ids = Array.from({ length: 7 }, () => newId())
  for (const [index, id] of ids.entries()) {
    const large = { path: 'a', kind: 'changed' as const, class: 'text' as const, message }
    const differences = [index === 3 ? { ...large, message: message.repeat(4) } : large]
    const row = { id, entryId, class: 'text' as const, differences, manifest: {} as never, fingerprint: id }
    await ManifestChange.query(platform.services.database).insert({
      ...row,
      status: 'adopted',
      foundAt,
      decidedAt: foundAt,
    })
  }
  const found: string[][] = []
  let cursor: string | undefined
  do {
    const query = { limit: '100', ...(cursor && { cursor }) }
    const { body } = await call(someone, manifests.listManifestChanges, { params: { entryId }, query })
    found.push(body.items.map(({ id }) => id))
    cursor = body.nextCursor ?? undefined
  } while (cursor)
  t.deepEqual(found.flat(), ids.toReversed())
  t.deepEqual(
    found.map(({ length }) => length),
    [2, 1, 1, 2, 1],
  )
})
