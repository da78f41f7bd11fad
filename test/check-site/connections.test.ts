// @promise check-site
import 'reflect-metadata'
import { KeyObject, webcrypto } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import * as x509 from '@peculiar/x509'
import test, { type ExecutionContext } from 'ava'
import { createCertificates } from '../../bin/local/certificates.ts'
import { checkSite, type Report } from '../../check-site/check-site.ts'
import { written } from '../../check-site/report.ts'
import { listen } from '../../examples/sites/https-server.ts'
import { createSafeFetch } from '../../src/safe-fetch/safe-fetch.ts'
import { closedPort, finds, findingOf, thorough } from '../helpers/defects-of-sites/reports.ts'
import { temporaryCertificates } from '../helpers/https-server.ts'
import { ownFolder } from '../helpers/servers.ts'

const day = 24 * 60 * 60 * 1000

/** The checker, told that the site may be private, and that it can trust this authority. */
const check = (site: string, caFile?: string): Promise<Report> =>
  checkSite({ ...thorough, site, allow: [new URL(site).host], caFile }, (options) =>
    createSafeFetch({
      ...options,
      lookup: (_host, _options, answer) => answer(null, [{ address: '127.0.0.1', family: 4 }]),
    }),
  )

async function serve(t: ExecutionContext, tls: { certFile: string; keyFile: string }): Promise<string> {
  const { origin, close } = await listen({ port: 0, tls })
  t.teardown(close)
  return origin
}

/** It fails for this reason only, and says how to fix it. */
function blames(t: ExecutionContext, report: Report, id: string, why: RegExp, fix: RegExp): void {
  finds(t, report, { fails: [id] })
  const finding = findingOf(report, id)
  if (finding?.result !== 'failed') return t.fail()
  t.is(finding.why.length, 1)
  t.regex(finding.why[0] ?? '', why)
  t.regex(finding.fix ?? '', fix)
}

test('a certificate of an authority that nobody knows is called untrusted', async (t) => {
  const origin = await serve(t, await temporaryCertificates())
  blames(t, await check(origin), 'certificate', /not trusted: its issuer is unknown/, /--ca-file/)
})

test('a certificate that is signed by itself is called so', async (t) => {
  const origin = await serve(t, await selfSigned())
  blames(t, await check(origin), 'certificate', /not trusted: it is self-signed/, /--ca-file/)
})

async function selfSigned() {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=localhost',
    keys,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }])],
  })
  const folder = ownFolder()
  const files = { certFile: join(folder, 'site.pem'), keyFile: join(folder, 'site-key.pem') }
  writeFileSync(files.certFile, certificate.toString('pem'))
  writeFileSync(files.keyFile, KeyObject.from(keys.privateKey).export({ format: 'pem', type: 'pkcs8' }))
  return files
}

test('a certificate that has expired is called expired', async (t) => {
  const tls = await createCertificates(ownFolder(), new Date(Date.now() - 500 * day))
  const origin = await serve(t, tls)
  blames(t, await check(origin, tls.caFile), 'certificate', /has expired/, /Renew/)
})

test('a certificate for another host is said to be for another host', async (t) => {
  const tls = await temporaryCertificates()
  const { port } = new URL(await serve(t, tls))
  const report = await check(`https://other.example:${port}`, tls.caFile)
  blames(t, report, 'certificate', /for another host name/, /subjectAltName/)
})

test('a port without TLS is said to have none', async (t) => {
  const plain = createServer((_request, response) => void response.end('{}')).listen(0, '127.0.0.1')
  t.teardown(() => void plain.close())
  await once(plain, 'listening')
  const report = await check(`https://127.0.0.1:${(plain.address() as AddressInfo).port}`)
  blames(t, report, 'certificate', /does not speak TLS/, /HTTPS/)
})

test('where nothing listens, nobody is advised to allow what is allowed', async (t) => {
  const report = await check(`https://127.0.0.1:${closedPort}`)
  blames(t, report, 'site-reached', /nothing is listening/, /Start the site/)
  t.false(written(report).includes('--allow'))
})

test('an address that is not public is said to need leave', async (t) => {
  const report = await checkSite({ ...thorough, site: 'https://127.0.0.1:4999', allow: [] })
  blames(t, report, 'site-reached', /not on the public internet/, /--allow/)
})

test('a file of authorities that is missing, empty or broken is refused in a sentence', async (t) => {
  const site = 'https://127.0.0.1:4999'
  const { keyFile } = await temporaryCertificates()
  const broken = join(ownFolder(), 'broken.pem')
  writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
  const sentences = {
    '/nowhere/ca.pem': /\/nowhere\/ca\.pem \(SITE_CA_FILE\) cannot be read: the file does not exist\.$/,
    [keyFile]: /contains no certificate/,
    [broken]: /contains a certificate that cannot be parsed/,
  }
  for (const [file, message] of Object.entries(sentences)) await t.throwsAsync(check(site, file), { message })
})
