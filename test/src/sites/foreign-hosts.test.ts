// @promise addresses
import test from 'ava'
import { foreignHosts } from '../../../src/sites/foreign-hosts.ts'
import type { Manifest } from '../../../src/sites/manifest.ts'

const manifest = (server: string, ...[authorization_url, token_url]: string[]): Manifest => ({
  name: 'Site',
  version: '1',
  description: 'A site.',
  server: { url: server },
  auth:
    authorization_url && token_url
      ? { type: 'oauth2', authorization_url, token_url, scopes: [] }
      : Object.assign({ type: 'bearer' as const }, { token_url: 'https://ignored.example' }),
  tools: [],
})

const own: [site: string, server: string][] = [
  ['https://site.example', 'https://site.example/api'],
  ['https://site.example', 'https://api.site.example:8443'],
  ['https://www.shop.co.uk', 'https://shop.co.uk'],
  ['https://SITE.example', 'https://api.site.EXAMPLE'],
  ['https://me.github.io', 'https://api.me.github.io'],
  ['https://127.0.0.1:8443', 'https://127.0.0.1:8443/x'],
  ['https://localhost', 'https://localhost:443/x'],
  ['https://[::1]:9443', 'https://[0:0:0:0:0:0:0:1]:9443'],
  ['https://bücher.example', 'https://api.xn--bcher-kva.example'],
]
test('hosts of one registrable domain belong together, and so do addresses that are the same', (t) => {
  for (const [site, server] of own) t.deepEqual(foreignHosts(site, manifest(server)), [], `${server} at ${site}`)
})

const foreign: [site: string, server: string, host: string][] = [
  ['https://site.example', 'https://site.example.evil.test', 'site.example.evil.test'],
  ['https://site.example', 'https://evilsite.example', 'evilsite.example'],
  ['https://a.co.uk', 'https://b.co.uk', 'b.co.uk'],
  ['https://me.github.io', 'https://you.github.io', 'you.github.io'],
  ['https://github.io', 'https://me.github.io', 'me.github.io'],
  ['https://127.0.0.1', 'https://127.0.0.2', '127.0.0.2'],
  ['https://10.0.0.1', 'https://110.0.0.1', '110.0.0.1'],
  ['https://localhost', 'https://127.0.0.1', '127.0.0.1'],
  ['https://[::1]', 'https://[::2]', '[::2]'],
  ['https://127.0.0.1:8443', 'https://127.0.0.1:9443/x', '127.0.0.1:9443'],
  ['https://site.example', 'https://site.example:9443', 'site.example:9443'],
  ['https://[::1]', 'https://[0:0:0:0:0:0:0:1]:9443', '[::1]:9443'],
]
test('everything else is foreign', (t) => {
  for (const [site, server, host] of foreign)
    t.deepEqual(foreignHosts(site, manifest(server)), [host], `${server} at ${site}`)
})

test('all four addresses are looked at, and each foreign host is named once, sorted', (t) => {
  const urls = ['https://api.z.test', 'https://login.b.test/x', 'https://login.b.test:8443/y'] as const
  t.deepEqual(foreignHosts('https://site.example', manifest(...urls)), ['api.z.test', 'login.b.test'])
  t.deepEqual(foreignHosts('https://z.test', manifest(...urls)), ['login.b.test'])
  const { auth, ...rest } = manifest('https://site.example', 'https://site.example/a', 'https://site.example/t')
  const revoking = { ...rest, auth: { ...auth, revocation_url: 'https://elsewhere.test/revoke' } } as Manifest
  t.deepEqual(foreignHosts('https://site.example', revoking), ['elsewhere.test'])
})
