import { createPrivateKey, createPublicKey, webcrypto, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { isIP, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { connect } from 'node:tls'
import test, { type ExecutionContext } from 'ava'
import { createCertificates, type Certificates } from '../../../bin/local/certificates.ts'

const inDays = (days: number): Date => new Date(Date.now() + days * 24 * 60 * 60 * 1000)

async function temporaryFolder(t: ExecutionContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-certificates-'))
  t.teardown(() => rm(folder, { recursive: true }))
  return join(folder, 'certs')
}

const read = async ({ caFile, certFile, keyFile }: Certificates) => ({
  ca: await readFile(caFile, 'utf8'),
  cert: await readFile(certFile, 'utf8'),
  key: await readFile(keyFile, 'utf8'),
})

/** Connects under that name, trusting the authority only. */
async function connectAs(t: ExecutionContext, made: Certificates, host: string, listenOn: string): Promise<boolean> {
  const { ca, cert, key } = await read(made)
  const server = createServer({ cert, key }).listen(0, listenOn)
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const socket = connect({ host: listenOn, port, ca, servername: isIP(host) ? '' : host, rejectUnauthorized: true })
  t.teardown(() => socket.destroy())
  await once(socket, 'secureConnect')
  return socket.authorized
}

test('the server certificate is good for localhost and 127.0.0.1 to whoever trusts the authority', async (t) => {
  const made = await createCertificates(await temporaryFolder(t))
  t.true(await connectAs(t, made, 'localhost', '127.0.0.1'))
  t.true(await connectAs(t, made, '127.0.0.1', '127.0.0.1'))
  const { ca, cert } = await read(made)
  t.is(new X509Certificate(cert).checkIP('::1'), '::1')
  t.true(new X509Certificate(cert).checkIssued(new X509Certificate(ca)))
  t.false(new X509Certificate(cert).ca)
})

test('keys are readable by their owner only, and nothing unfinished is left', async (t) => {
  const folder = await temporaryFolder(t)
  const { keyFile } = await createCertificates(folder)
  t.is((await stat(keyFile)).mode & 0o777, 0o600)
  t.is((await stat(join(folder, 'ca-key.pem'))).mode & 0o777, 0o600)
  t.deepEqual((await readdir(folder)).toSorted(), ['ca-key.pem', 'ca.pem', 'localhost-key.pem', 'localhost.pem'])
})

test('what lasts for 30 days is used again; a certificate is renewed by its authority, and with it', async (t) => {
  const folder = await temporaryFolder(t)
  const first = await read(await createCertificates(folder))
  t.deepEqual(await read(await createCertificates(folder, inDays(360))), first)
  const second = await read(await createCertificates(folder, inDays(370)))
  t.is(second.ca, first.ca)
  t.not(second.cert, first.cert)
  t.true(new X509Certificate(second.cert).validToDate > inDays(760))
  const third = await read(await createCertificates(folder, inDays(3640)))
  t.not(third.ca, first.ca)
  for (const { ca, cert } of [second, third])
    t.true(new X509Certificate(cert).verify(new X509Certificate(ca).publicKey))
})

test('what does not belong together, or whose authority is gone, is made anew', async (t) => {
  const [folder, other] = [await temporaryFolder(t), await temporaryFolder(t)]
  const made = await createCertificates(folder)
  const foreign = await createCertificates(other)
  await rename(foreign.keyFile, made.keyFile)
  await rename(foreign.caFile, made.caFile)
  t.true(await connectAs(t, await createCertificates(folder), 'localhost', '127.0.0.1'))
  await rm(made.caFile)
  t.true(await connectAs(t, await createCertificates(folder), 'localhost', '127.0.0.1'))
})

test('the key of the authority is of no use for any other host', async (t) => {
  const made = await createCertificates(await temporaryFolder(t))
  const forged = await forge(made, 'bank.example')
  // Node has no code for this reason.
  await t.throwsAsync(connectAs(t, forged, 'bank.example', '127.0.0.1'), { message: /permitted subtree violation/ })
  t.true(await connectAs(t, await forge(made, 'localhost'), 'localhost', '127.0.0.1'))
})

/** A server certificate for that host, signed with the authority's key. */
async function forge(made: Certificates, host: string): Promise<Certificates> {
  const x509 = await import('@peculiar/x509')
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const { ca, key } = await read(made)
  const der = createPrivateKey(await readFile(join(dirname(made.caFile), 'ca-key.pem'))).export({
    format: 'der',
    type: 'pkcs8',
  })
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${host}`,
    issuer: new x509.X509Certificate(ca).subject,
    publicKey: new x509.PublicKey(createPublicKey(key).export({ format: 'der', type: 'spki' })),
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']),
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: host }])],
  })
  const certFile = join(dirname(made.caFile), 'forged.pem')
  await writeFile(certFile, certificate.toString('pem'))
  return { ...made, certFile }
}
