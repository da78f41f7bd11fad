import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

const certificates = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * The certificates of authorities in a PEM file (`SITE_CA_FILE`, `--ca-file`). Throws a sentence if the file is
 * unreadable, or has no certificate or a broken one.
 */
export function readAuthorities(file: string): string {
  const found = read(file).match(certificates)
  if (!found)
    throw new Error(`${file} contains no certificate. It must be a PEM file with -----BEGIN CERTIFICATE-----.`)
  if (!found.every(isCertificate)) throw new Error(`${file} contains a certificate that cannot be parsed.`)
  return found.map((pem) => `${pem}\n`).join('')
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'the file does not exist' : `${code}`
    throw new Error(`The certificate authority file ${file} (SITE_CA_FILE) cannot be read: ${why}.`, { cause: error })
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}
