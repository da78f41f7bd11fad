import { createPrivateKey, randomUUID, webcrypto, X509Certificate } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type * as x509Module from '@peculiar/x509'

/** Files of one local certificate authority, and of the server certificate that it signed. All are PEM. */
export interface Certificates {
  /** The authority's certificate: what a client has to trust (SITE_CA_FILE, NODE_EXTRA_CA_CERTS). */
  caFile: string
  certFile: string
  keyFile: string
}

interface Pair {
  cert: string
  key: string
}

interface PairFiles {
  cert: string
  key: string
}

type X509 = typeof x509Module

const day = 24 * 60 * 60 * 1000
/** A pair with less than this left is renewed, so that nothing expires under a server that was just started. */
const leastLeft = 30 * day
const authorityLifetime = 3650 * day
/** Browsers of Apple refuse server certificates of more than 825 days, others want less; 397 suits them all. */
const serverLifetime = 397 * day
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/**
 * Makes a local certificate authority and a server certificate for localhost, 127.0.0.1 and ::1 in the folder, or
 * answers with those that are there. A pair with less than 30 days left, or whose halves do not belong together (a
 * crash between two writes), is made anew. The authority's key is kept so that a new server certificate needs no new
 * trust; name constraints (RFC 5280, 4.2.1.10) make that key worthless for any other host. Keys have mode 0600.
 * Fails where the folder cannot be written, or a file in it is not PEM.
 */
export async function createCertificates(folder: string, now = new Date()): Promise<Certificates> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const authorityFiles = { cert: join(folder, 'ca.pem'), key: join(folder, 'ca-key.pem') }
  const serverFiles = { cert: join(folder, 'localhost.pem'), key: join(folder, 'localhost-key.pem') }
  const authority = (await readPair(authorityFiles, now)) ?? (await writePair(authorityFiles, await makeAuthority(now)))
  const server = await readPair(serverFiles, now)
  if (!server || !isSignedBy(server, authority)) await writePair(serverFiles, await makeServer(authority, now))
  return { caFile: authorityFiles.cert, certFile: serverFiles.cert, keyFile: serverFiles.key }
}

async function readPair(files: PairFiles, now: Date): Promise<Pair | undefined> {
  const [cert, key] = [await readIfThere(files.cert), await readIfThere(files.key)]
  if (cert === undefined || key === undefined) return undefined
  const parsed = new X509Certificate(cert)
  const lasts = parsed.validToDate.getTime() - now.getTime() >= leastLeft
  return lasts && parsed.checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function writePair(files: PairFiles, pair: Pair): Promise<Pair> {
  await writeWhole(files.key, pair.key, 0o600)
  await writeWhole(files.cert, pair.cert, 0o644)
  return pair
}

/** Write and rename: a reader finds the old file or the new one, never half of one. */
async function writeWhole(file: string, content: string, mode: number): Promise<void> {
  const unfinished = `${file}.${randomUUID()}.tmp`
  await writeFile(unfinished, content, { mode, flag: 'wx', flush: true })
  await rename(unfinished, file)
}

function isSignedBy(server: Pair, authority: Pair): boolean {
  return new X509Certificate(server.cert).verify(new X509Certificate(authority.cert).publicKey)
}

async function makeAuthority(now: Date): Promise<Pair> {
  const x509 = await loadX509()
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'O=Switchyard, CN=Switchyard local authority',
    keys,
    signingAlgorithm: algorithm,
    ...validity(now, authorityLifetime),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      localNamesOnly(x509),
    ],
  })
  return { cert: certificate.toString('pem'), key: await exportKey(keys.privateKey) }
}

async function makeServer(authority: Pair, now: Date): Promise<Pair> {
  const x509 = await loadX509()
  const issuer = new x509.X509Certificate(authority.cert)
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'O=Switchyard, CN=localhost',
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await importKey(authority.key),
    signingAlgorithm: algorithm,
    ...validity(now, serverLifetime),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        { type: 'dns', value: 'localhost' },
        { type: 'ip', value: '127.0.0.1' },
        { type: 'ip', value: '::1' },
      ]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return { cert: certificate.toString('pem'), key: await exportKey(keys.privateKey) }
}

/** Valid from an hour ago, for clocks that differ a little, and in whole seconds, which is all that X.509 knows. */
function validity(now: Date, lifetime: number) {
  const seconds = Math.floor(now.getTime() / 1000) * 1000
  return { notBefore: new Date(seconds - day / 24), notAfter: new Date(seconds + lifetime) }
}

/**
 * The extension nameConstraints (2.5.29.30), which the library does not know: permittedSubtrees [0], each a sequence
 * of one general name. Every length here is below 128, so each fits into one byte.
 */
function localNamesOnly(x509: X509) {
  const names = [
    new x509.GeneralName('dns', 'localhost'),
    new x509.GeneralName('ip', '127.0.0.0/8'),
    new x509.GeneralName('ip', '::1/128'),
  ]
  const subtrees = names.map((name) => tagged(0x30, Buffer.from(name.rawData)))
  return new x509.Extension('2.5.29.30', true, tagged(0x30, tagged(0xa0, Buffer.concat(subtrees))))
}

const tagged = (tag: number, content: Buffer): Buffer => Buffer.concat([Buffer.from([tag, content.length]), content])

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${der.replace(/.{64}(?=.)/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ format: 'der', type: 'pkcs8' })
  return webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
}

/**
 * Loads the library when it is needed only. Its dependency container (tsyringe) refuses to load without the functions
 * of a metadata polyfill; the library registers everything by hand, so there is never metadata to find.
 */
async function loadX509(): Promise<X509> {
  const reflect = Reflect as { getMetadata?: () => undefined; getOwnMetadata?: () => undefined }
  reflect.getMetadata ??= () => undefined
  reflect.getOwnMetadata ??= () => undefined
  return import('@peculiar/x509')
}
