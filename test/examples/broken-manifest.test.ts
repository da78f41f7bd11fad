import test from 'ava'
import { variants, type Variant } from '../../examples/sites/broken-manifest/variants.ts'
import { askSite, startSites, type Sites } from '../helpers/sites.ts'

const fetchManifest = ({ brokenManifest }: Sites) => askSite(`${brokenManifest.origin}/.well-known/toolsite.json`)

test('the manifest breaks several rules at once, and nothing else is served', async (t) => {
  const sites = await startSites(t)
  const manifest = (await fetchManifest(sites)).json()
  t.false('name' in manifest)
  t.is(manifest['version'], 1)
  t.like(manifest['server'], { url: 'http://tools.example.com/api' })
  t.is((await askSite(`${sites.brokenManifest.origin}/api/tools/get_nothing`, { body: {} })).status, 404)
})

test('each variant is broken in its own way', async (t) => {
  const sites = await startSites(t)
  const seen = async (variant: Variant) => {
    sites.brokenManifest.serve(variant)
    return fetchManifest(sites)
  }
  for (const variant of ['not-json', 'html'] as const) {
    const answer = await seen(variant)
    t.throws(() => answer.json())
  }
  t.true((await seen('not-utf8')).text.includes('\uFFFD'))
  t.true(Array.isArray((await seen('array')).json()))
  t.true((await seen('too-large')).text.length > 1024 * 1024)
  t.is((await seen('not-found')).status, 404)
  t.is((await seen('server-error')).status, 500)
  t.is((await seen('redirect')).headers['location'], 'https://elsewhere.example/toolsite.json')
  t.like((await seen('foreign-host')).json(), { server: { url: 'https://tools.elsewhere.example/api' } })
  t.is(Object.keys(variants).length, 10, 'a new variant is tried here as well')
})

test('a test can have any other manifest served', async (t) => {
  const sites = await startSites(t)
  sites.brokenManifest.serve({ body: '{"name":"Mine"}', status: 203 })
  const answer = await fetchManifest(sites)
  t.is(answer.status, 203)
  t.deepEqual(answer.json(), { name: 'Mine' })
})

test('nobody listens where the dead site should be', async (t) => {
  const { deadOrigin } = await startSites(t)
  await t.throwsAsync(askSite(deadOrigin), { code: 'ECONNREFUSED' })
})
