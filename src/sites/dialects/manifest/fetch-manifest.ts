import type { Config } from '../../../config/config.ts'
import { CodedError, type ErrorDetail } from '../../../errors.ts'
import type * as inThread from '../../../in-thread.ts'
import {
  isEventStream,
  SafeFetchError,
  type SafeFetch,
  type SafeFetchReason,
  type SafeResponse,
} from '../../../safe-fetch/safe-fetch.ts'
import { refusedAddress, unreached } from '../../../safe-fetch/unreached-site.ts'
import { orElse, type Threads } from '../../../threads/threads.ts'
import { invalidManifest } from '../../invalid-manifest.ts'
import type { Manifest } from '../../manifest.ts'

/**
 * Makes the function that fetches and validates the toolsite.json of an origin. It throws MANIFEST_NOT_FOUND and
 * MANIFEST_INVALID.
 */
export function createFetchManifest(context: {
  fetch: SafeFetch
  threads: Pick<Threads<typeof inThread>, 'run'>
  config: { sites: Pick<Config['sites'], 'manifestBytes' | 'manifestTimeoutSeconds'> }
}) {
  const { fetch, threads, config } = context

  async function request(origin: string): Promise<SafeResponse> {
    const { manifestBytes: maxBytes, manifestTimeoutSeconds } = config.sites
    const url = `${origin}/.well-known/toolsite.json`
    const timeoutMs = manifestTimeoutSeconds * 1000
    try {
      const headers = { accept: 'application/json' }
      return await fetch({ url, method: 'GET', headers, timeoutMs, maxBytes, ignoreEvents: true })
    } catch (error) {
      throw error instanceof SafeFetchError ? toCoded(error, maxBytes) : error
    }
  }

  return async (origin: string, party: string): Promise<Manifest> => {
    const { status, headers, body } = await request(origin)
    if (status !== 200) throw notFound(`with status ${status}`)
    if (isEventStream(headers)) throw notFound('with a stream of events')
    const read = await threads.run(party, 'readManifest', body).catch(orElse({ problems: [tooComplex] }))
    if ('text' in read) return JSON.parse(read.text) as Manifest
    throw invalidManifest(read.problems)
  }
}

const notFound = (how: string): CodedError =>
  new CodedError('MANIFEST_NOT_FOUND', { message: `The site responded to the manifest request ${how}.` })

const tooComplex: ErrorDetail = {
  path: '',
  message: 'takes too long to check because its patterns or schemas are too complex',
}

/**
 * Sentences for a missing manifest. A refused name, an unknown name and a closed port share one sentence, because a
 * difference would let anyone map this server's network. An address that is refused as written is public knowledge.
 */
const sentences: Record<Exclude<SafeFetchReason, 'too-large'>, string> = {
  'invalid-url': unreached,
  'refused-address': refusedAddress,
  'refused-name': unreached,
  dns: unreached,
  connect: unreached,
  tls: 'The site has no valid certificate for its host name or does not support TLS.',
  timeout: 'The site did not send its manifest in time.',
  reset: 'The site closed the connection before sending the full manifest.',
  encoding: 'The site sent its manifest in a content encoding that could not be decoded.',
  redirect: 'The site responded to the manifest request with a redirect. Redirects are not followed.',
  aborted: 'The manifest request was aborted.',
}

function toCoded(cause: SafeFetchError, maxBytes: number): CodedError {
  const { reason, message: privateDetail } = cause
  if (reason === 'too-large') {
    const details = [{ path: '', message: `is larger than ${maxBytes} bytes` }]
    return invalidManifest(details, { privateDetail, cause })
  }
  return new CodedError('MANIFEST_NOT_FOUND', { message: sentences[reason], privateDetail, cause })
}
