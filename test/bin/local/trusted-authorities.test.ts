// @promise site-owners
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { once } from 'node:events'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { createCertificates, type Certificates } from '../../../bin/local/certificates.ts'
import { trustedAuthorities } from '../../../bin/local/trusted-authorities.ts'
import { createSafeFetch } from '../../../src/safe-fetch/safe-fetch.ts'
import { temporaryCertificates } from '../../helpers/https-server.ts'
import { ownFolder } from '../../helpers/servers.ts'

const own = (): Promise<Certificates> => createCertificates(join(ownFolder(), 'certificates'))

test('a local platform trusts its example sites and those of the developer', async (t) => {
  const [local, developers] = [await temporaryCertificates(), await own()]
  const caFile = trustedAuthorities(ownFolder(), local.caFile, developers.caFile)
  for (const { certFile, keyFile } of [local, developers]) {
    const server = createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, (_request, response) =>
      response.end('{}'),
    ).listen(0, '127.0.0.1')
    t.teardown(() => server.close())
    await once(server, 'listening')
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const { fetch, close } = createSafeFetch({
      allow: [host],
      loopback: true,
      caFile,
      baseUrl: 'https://platform.example',
      version: '1',
    })
    t.teardown(close)
    const answer = await fetch({ url: `https://${host}/`, method: 'GET', timeoutMs: 20_000, maxBytes: 100 })
    t.is(answer.status, 200)
  }
})

test('a SITE_CA_FILE that is not there is named, and need not be set', async (t) => {
  const { caFile, keyFile } = await temporaryCertificates()
  const folder = ownFolder()
  const trust = (own?: string) => trustedAuthorities(folder, caFile, own)
  t.throws(() => trust('my-site/site.pem'), { message: /my-site\/site\.pem \(SITE_CA_FILE\) cannot be read/ })
  t.throws(() => trust(keyFile), { message: /contains no certificate/ })
  t.is(trust(), caFile)
})
