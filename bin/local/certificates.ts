import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Pair } from './issue-certificates.ts'
import { textIfExists, replaceFile } from './write-file.ts'

/** PEM files of a local certificate authority and of the server certificate that it signed. */
export interface Certificates {
  /** The authority's certificate, which clients must trust (SITE_CA_FILE, NODE_EXTRA_CA_CERTS). */
  caFile: string
  certFile: string
  keyFile: string
}

/** A pair with less time left (ms) is renewed, so that nothing expires under a running server. */
const leastLeft = 30 * 24 * 60 * 60 * 1000

/** Loaded only if a new pair is needed. */
const issuing = () => import('./issue-certificates.ts')

/**
 * Makes a local certificate authority and a server certificate for localhost, 127.0.0.1 and ::1 in the folder, or
 * returns the existing ones. A pair with less than 30 days left, or whose halves do not match (a crash between two
 * writes), is replaced. The authority's key is kept so that a new server certificate needs no new trust; name
 * constraints (RFC 5280, 4.2.1.10) make that key useless for any other host. Keys have mode 0600. Fails if the folder
 * cannot be written, or a file in it is not PEM.
 */
export async function createCertificates(folder: string, now = new Date()): Promise<Certificates> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const authorityFiles = { cert: join(folder, 'ca.pem'), key: join(folder, 'ca-key.pem') }
  const serverFiles = { cert: join(folder, 'localhost.pem'), key: join(folder, 'localhost-key.pem') }
  const authority =
    readPair(authorityFiles, now) ?? writePair(authorityFiles, await (await issuing()).makeAuthority(now))
  const server = readPair(serverFiles, now)
  if (!server || !isSignedBy(server, authority))
    writePair(serverFiles, await (await issuing()).makeServer(authority, now))
  return { caFile: authorityFiles.cert, certFile: serverFiles.cert, keyFile: serverFiles.key }
}

function readPair(files: Pair, now: Date): Pair | undefined {
  const [cert, key] = [textIfExists(files.cert), textIfExists(files.key)]
  if (cert === undefined || key === undefined) return undefined
  const parsed = new X509Certificate(cert)
  const lasts = parsed.validToDate.getTime() - now.getTime() >= leastLeft
  return lasts && parsed.checkPrivateKey(createPrivateKey(key)) ? { cert, key } : undefined
}

function writePair(files: Pair, pair: Pair): Pair {
  replaceFile(files.key, pair.key, 0o600)
  replaceFile(files.cert, pair.cert, 0o644)
  return pair
}

function isSignedBy(server: Pair, authority: Pair): boolean {
  return new X509Certificate(server.cert).verify(new X509Certificate(authority.cert).publicKey)
}
