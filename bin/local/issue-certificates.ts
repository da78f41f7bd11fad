// Required by the library's dependency container.
import 'reflect-metadata'
import { createPrivateKey, KeyObject, webcrypto } from 'node:crypto'
import { AsnConvert } from '@peculiar/asn1-schema'
import {
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_nameConstraints,
  NameConstraints,
} from '@peculiar/asn1-x509'
import * as x509 from '@peculiar/x509'

export interface Pair {
  cert: string
  key: string
}

const day = 24 * 60 * 60 * 1000
const authorityLifetime = 3650 * day
/** Apple refuses server certificates of more than 825 days, other browsers of less; 397 days suit all of them. */
const serverLifetime = 397 * day
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/** A certificate authority that can sign only for this machine. */
export async function makeAuthority(now: Date): Promise<Pair> {
  const keys = await makeKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'O=Switchyard, CN=Switchyard local authority',
    keys,
    signingAlgorithm: algorithm,
    ...validity(now, authorityLifetime),
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      new x509.Extension(id_ce_nameConstraints, true, AsnConvert.serialize(localNamesOnly)),
    ],
  })
  return pairOf(certificate, keys)
}

/** A server certificate for localhost, 127.0.0.1 and ::1. */
export async function makeServer(authority: Pair, now: Date): Promise<Pair> {
  const issuer = new x509.X509Certificate(authority.cert)
  const keys = await makeKeys()
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'O=Switchyard, CN=localhost',
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: createPrivateKey(authority.key).toCryptoKey(algorithm, false, ['sign']),
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
  return pairOf(certificate, keys)
}

const localNames = [{ dNSName: 'localhost' }, { iPAddress: '127.0.0.0/8' }, { iPAddress: '::1/128' }]
const localNamesOnly = new NameConstraints({
  permittedSubtrees: new GeneralSubtrees(localNames.map((name) => new GeneralSubtree({ base: new GeneralName(name) }))),
})

/** Valid from an hour ago, because clocks differ, and in whole seconds, because X.509 has no smaller unit. */
function validity(now: Date, lifetime: number) {
  const seconds = Math.floor(now.getTime() / 1000) * 1000
  return { notBefore: new Date(seconds - day / 24), notAfter: new Date(seconds + lifetime) }
}

const makeKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

const pairOf = (certificate: x509.X509Certificate, { privateKey }: webcrypto.CryptoKeyPair): Pair => ({
  cert: certificate.toString('pem'),
  key: KeyObject.from(privateKey).export({ format: 'pem', type: 'pkcs8' }) as string,
})
