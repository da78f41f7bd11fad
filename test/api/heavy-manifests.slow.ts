// @promise hard-texts
import test from 'ava'
import * as siteInspection from '../../api/site-inspection.ts'
import * as vault from '../../api/vault.ts'
import { startChangingSite, toolOf } from '../helpers/changing-site.ts'
import { call } from '../helpers/client.ts'
import { connectChanging, reaching } from '../helpers/manifests.ts'
import { person } from '../helpers/people.ts'
import { startPlatform } from '../helpers/platform.ts'

const folding = `(?i)${'[\u0001-\uffff]'.repeat(60)}`

/** A tool with so many patterns of this kind. */
const toolWith = (count: number, pattern: (index: number) => string) => {
  const properties = Array.from({ length: count }, (_, index) => [
    `p${index}`,
    { type: 'string', pattern: pattern(index) },
  ])
  return toolOf('heavy', { input_schema: { type: 'object', properties: Object.fromEntries(properties) } })
}

/** Manifests of about 250 KB whose authors want the platform to be busy, and what is said of them. */
const heavy: Record<string, { tools: object[]; says: RegExp }> = {
  'patterns that fold every character': { tools: [toolWith(330, () => folding)], says: /too long/ },
  'scoped flags that do the same': {
    tools: [toolWith(330, () => folding.replace('?i)', '?s-m:(?i:') + '))')],
    says: /too long/,
  },
  'very many patterns': {
    tools: [toolWith(480, (index) => `\\p{L}{1,9}${index}${'a'.repeat(400)}`)],
    says: /too (long|large)/,
  },
  'very large repeats': { tools: [toolWith(900, (index) => `^.{${index + 1}}$`)], says: /too large/ },
}

// One after the other, because the processor time of a thread is that of all tests that run in it.
for (const [title, { tools, says }] of Object.entries(heavy))
  test.serial(`a manifest with ${title} is refused, and keeps nobody else waiting`, async (t) => {
    const site = await startChangingSite(t)
    const someone = await person(await startPlatform(t, { env: reaching(site) }))
    site.manifest['tools'] = tools
    const before = process.threadCpuUsage()
    const { failure } = await call(someone, siteInspection.inspectSite, { body: { url: site.origin } })
    const { user, system } = process.threadCpuUsage(before)
    const active = (user + system) / 1000
    t.is(failure.code, 'MANIFEST_INVALID')
    t.regex(failure.details?.[0]?.message ?? '', says)
    // Some 50 ms, with the site, which is in this process, too. In the event loop, the first would take two seconds.
    t.true(active < 500, `the main thread worked for ${active} ms`)
  })

test.serial('arguments are checked in a thread, by patterns that take long, too', async (t) => {
  const site = await startChangingSite(t)
  const someone = await person(await startPlatform(t, { env: reaching(site) }))
  // Six are what the limit permits.
  site.manifest['tools'] = [toolWith(6, () => folding)]
  const { entryId } = await connectChanging(someone, site)
  const before = process.threadCpuUsage()
  const params = { entryId, toolName: 'heavy' }
  const { failure } = await call(someone, vault.callTool, { params, body: { p0: 'short' } })
  const { user, system } = process.threadCpuUsage(before)
  const active = (user + system) / 1000
  t.is(failure.code, 'VALIDATION_ERROR')
  t.regex(failure.details?.[0]?.message ?? '', /must match the pattern/)
  t.regex(failure.error, /do not match the tool's input schema: "p0" must match the pattern/)
  t.true(active < 250, `the main thread worked for ${active} ms`)
})
