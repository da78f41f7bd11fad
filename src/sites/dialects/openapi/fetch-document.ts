import type { Config } from '../../../config/config.ts'
import { CodedError } from '../../../errors.ts'
import { quotedWords } from '../../../names.ts'
import { SafeFetchError, type SafeFetch } from '../../../safe-fetch/safe-fetch.ts'
import { parseSiteUrl } from '../../../safe-fetch/site-url.ts'
import { refusedAddress, unreached } from '../../../safe-fetch/unreached-site.ts'
import type { Documents } from '../../../documents/documents.ts'
import { invalidManifest } from '../../invalid-manifest.ts'

/**
 * A document and all that it refers to. The largest documents of well-known services have 10 MiB, because they repeat
 * their schemas, of which the manifest keeps only those of the chosen tools.
 */
const maxDocumentBytes = 16 * 1024 * 1024

/** The document of a site, and those that it refers to. Together they have one bound of size and one of time. */
export interface DocumentReader {
  /** What relative addresses are resolved against. */
  base: string | undefined
  document: () => Promise<Uint8Array>
  /** Throws MANIFEST_INVALID, because the document itself was found. */
  referenced: (address: string) => Promise<Uint8Array>
}

/** Makes the function that opens a document. Throws INVALID_URL, MANIFEST_NOT_FOUND and MANIFEST_INVALID. */
export function createFetchDocument(context: {
  fetch: SafeFetch
  documents: Pick<Documents, 'read'>
  config: { sites: Pick<Config['sites'], 'manifestTimeoutSeconds'> }
}) {
  const { fetch, documents, config } = context

  return (address: string): DocumentReader => {
    const url = isUploaded(address) ? undefined : parseSiteUrl(address).href
    const endsAt = performance.now() + config.sites.manifestTimeoutSeconds * 1000
    let left = maxDocumentBytes

    async function read(from: string): Promise<Uint8Array> {
      const timeoutMs = Math.max(1, endsAt - performance.now())
      const bounds = { timeoutMs, maxBytes: left, ignoreEvents: true }
      const { status, body } = await fetch({ url: from, method: 'GET', headers: { accept }, ...bounds })
      left -= body.length
      if (status !== 200) throw notFound(`The address responded with status ${status}.`)
      return body
    }

    const readFirst = (from: string) =>
      read(from).catch((error: unknown) => {
        throw error instanceof SafeFetchError ? toCoded(error) : error
      })

    return {
      base: url,
      async document() {
        if (url !== undefined) return readFirst(url)
        const text = await documents.read(address)
        if (text === undefined) throw notFound('The uploaded document does not exist any longer.')
        return Buffer.from(text)
      },
      referenced: (other) =>
        read(other).catch((error: unknown) => {
          if (!(error instanceof SafeFetchError || error instanceof CodedError)) throw error
          const message = `refers to ${quotedWords(other)}, which could not be read`
          throw invalidManifest([{ path: '', message }], { cause: error })
        }),
    }
  }
}

/** Whether an address is that of a document that its owner uploaded. */
export const isUploaded = (address: string): boolean => address.startsWith('document:')

const accept = 'application/json, application/yaml;q=0.9, text/plain;q=0.5, */*;q=0.1'

const notFound = (message: string, cause?: SafeFetchError): CodedError =>
  new CodedError('MANIFEST_NOT_FOUND', { message, ...(cause && { cause, privateDetail: cause.message }) })

function toCoded(cause: SafeFetchError): CodedError {
  if (cause.reason === 'too-large')
    return invalidManifest([{ path: '', message: `is larger than ${maxDocumentBytes} bytes` }], { cause })
  return notFound(sentences[cause.reason] ?? unreached, cause)
}

const sentences: Partial<Record<SafeFetchError['reason'], string>> = {
  'refused-address': refusedAddress,
  tls: 'The address has no valid certificate for its host name or does not support TLS.',
  timeout: 'The address did not send a document in time.',
  reset: 'The address closed the connection before it sent a full document.',
  encoding: 'The address sent a document in a content encoding that could not be decoded.',
  redirect: 'The address responded with a redirect. Redirects are not followed.',
}
