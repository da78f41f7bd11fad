import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import type { Config } from '../../../config/config.ts'
import { CodedError, type ErrorDetail } from '../../../errors.ts'
import type * as inThread from '../../../in-thread.ts'
import type { SafeFetch, SafeStream } from '../../../safe-fetch/safe-fetch.ts'
import { orElse, type Threads } from '../../../threads/threads.ts'
import { invalidManifest } from '../../invalid-manifest.ts'
import type { Manifest } from '../../manifest.ts'
import type { KnownSite } from '../dialect.ts'
import { attempting, type Attempt } from './attempt.ts'
import { maxTools, type Listing } from './read-tools.ts'
import { createFindSignIn } from './sign-in/find-sign-in.ts'
import { NotOpened, openSession, type Session } from './session.ts'

/** Pages of a list. A server that counts its tools one by one is not waited for. */
const maxPages = 50

/**
 * Makes the function that lists the tools of an MCP server, as the owner of a token or, with an empty one, as anybody.
 * A server that shows nothing without a token has no tools yet, but says how to get one. It throws MANIFEST_NOT_FOUND
 * and MANIFEST_INVALID.
 */
export function createListTools(context: {
  fetch: SafeFetch
  stream: SafeStream
  threads: Pick<Threads<typeof inThread>, 'run'>
  config: { sites: Pick<Config['sites'], 'manifestBytes' | 'manifestTimeoutSeconds'> }
}) {
  const { stream, threads, config } = context
  const { manifestBytes: maxBytes, manifestTimeoutSeconds } = config.sites
  const timeoutMs = manifestTimeoutSeconds * 1000
  const findSignIn = createFindSignIn(context)

  async function toolsOf(session: Session): Promise<unknown[]> {
    const tools: unknown[] = []
    let [cursor, size] = [undefined as string | undefined, 0]
    for (let page = 0; page < maxPages; page += 1) {
      const params = cursor === undefined ? {} : { cursor }
      const { tools: more, nextCursor } = await session.request({ method: 'tools/list', params })
      if (!Array.isArray(more)) throw invalid('tools', 'must be a list')
      size += JSON.stringify(more).length
      if (size > maxBytes) throw invalid('tools', `must not be larger than ${maxBytes} bytes`)
      if (tools.length + more.length > maxTools) throw invalid('tools', `must have at most ${maxTools} entries`)
      tools.push(...(more as unknown[]))
      if (typeof nextCursor !== 'string') return tools
      cursor = nextCursor
    }
    throw invalid('tools', `must have at most ${maxPages} pages`)
  }

  async function ask(url: string, { token = '', auth }: Asker, attempt: Attempt): Promise<Listing> {
    try {
      const session = await openSession({ url, token }, attempt, { stream, timeoutMs, maxBytes })
      try {
        const tools = session.hasTools ? await toolsOf(session) : []
        return { url, auth: auth ?? pasted(token), server: session.server, tools }
      } finally {
        session.end()
      }
    } catch (error) {
      if (token === '' && attempt.refusal?.status === 401)
        return { url, ...(await findSignIn(url, attempt.refusal.headers, attempt)), tools: [] }
      throw toCoded(error, attempt, maxBytes)
    }
  }

  return async (url: string, party: string, asker: Asker): Promise<Manifest> => {
    const { token = '' } = asker
    const endsAt = performance.now() + timeoutMs
    const listing = await attempting({ endsAt }, (attempt) => ask(url, asker, attempt))
    const read = await threads
      .run(party, 'readTools', { text: JSON.stringify(listing), secrets: token === '' ? [] : [token] })
      .catch(orElse({ problems: [{ path: 'tools', message: 'take too long to check' }] }))
    if ('text' in read) return JSON.parse(read.text) as Manifest
    throw invalidManifest(read.problems)
  }
}

type Asker = Pick<KnownSite, 'token' | 'auth'>

const pasted = (token: string) => ({ type: token === '' ? ('none' as const) : ('bearer' as const) })

const invalid = (path: string, message: string) => invalidManifest([{ path, message } satisfies ErrorDetail])

function toCoded(error: unknown, attempt: Attempt, maxBytes: number): CodedError {
  if (error instanceof CodedError) return error
  const { failure } = attempt
  if (failure?.reason === 'too-large') return invalid('', `is larger than ${maxBytes} bytes`)
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
    return invalid('tools', 'is no list of tools')
  const privateDetail = failure?.message ?? (error instanceof Error ? error.message : '')
  return new CodedError('MANIFEST_NOT_FOUND', { message: reasonOf(error, attempt), privateDetail, cause: error })
}

/** Sentences for a missing list. That a host cannot be reached was found before, with the manifest's address. */
function reasonOf(error: unknown, { failure, refusal, status }: Attempt): string {
  if (refusal?.status === 401) return 'The MCP server rejected the token.'
  if (!(error instanceof NotOpened)) return 'The MCP server did not list its tools.'
  if (failure?.reason === 'redirect') return `${noServer}: it responded with a redirect. Redirects are not followed.`
  return status === undefined || failure ? `${noServer}.` : `${noServer}: it responded with status ${status}.`
}

const noServer = 'There is no MCP server at the address'
