import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import type { Config } from '../../../config/config.ts'
import { CodedError, isCoded, type ErrorDetail } from '../../../errors.ts'
import type * as inThread from '../../../in-thread.ts'
import type { SafeFetch, SafeResponse, SafeStream } from '../../../safe-fetch/safe-fetch.ts'
import { orElse, type Threads } from '../../../threads/threads.ts'
import { invalidManifest } from '../../invalid-manifest.ts'
import type { Manifest } from '../../manifest.ts'
import type { KnownSite, ListedSite } from '../dialect.ts'
import { UnstatedSignIn } from '../unstated-sign-in.ts'
import { attempting, type Attempt } from './attempt.ts'
import type { Listing } from './read-tools.ts'
import { isBearerChallenge } from './sign-in/challenge.ts'
import { createFindSignIn } from './sign-in/find-sign-in.ts'
import { NotOpened, openSession, type Session } from './session.ts'

/** Pages of a list. A server that counts its tools one by one is not waited for. */
const maxPages = 10

/**
 * Makes the function that lists the tools of an MCP server, as the owner of a token or, with an empty one, as anybody.
 * Of a server that shows nothing without a token, only the sign-in is known. It throws MANIFEST_NOT_FOUND
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

  /** The pages of the list, as JSON texts. The list is current as long as each of them. */
  async function pagesOf(session: Session): Promise<Pages> {
    const pages: Pages = { texts: [], ttlMs: Infinity }
    let [cursor, size] = [undefined as string | undefined, 0]
    while (pages.texts.length < maxPages) {
      const params = cursor === undefined ? {} : { cursor }
      const { text, nextCursor, ttlMs } = await session.request({ method: 'tools/list', params })
      size += text.length
      if (size > maxBytes) throw invalid('tools', `must not be larger than ${maxBytes} bytes`)
      pages.texts.push(text)
      pages.ttlMs = Math.min(pages.ttlMs, typeof ttlMs === 'number' ? ttlMs : Infinity)
      if (typeof nextCursor !== 'string') return pages
      cursor = nextCursor
    }
    throw invalid('tools', `must have at most ${maxPages} pages`)
  }

  /** How users sign in for calls at a server that shows its list to everybody; undefined if it does not say it. */
  async function openlyStated(url: string, attempt: Attempt): Promise<Manifest['auth'] | undefined> {
    return (await findSignIn(url, new Headers(), attempt))?.auth
  }

  /** What a server says that refused a request without a token; undefined if it may be no MCP server. */
  async function refused(url: string, refusal: SafeResponse, attempt: Attempt): Promise<Listed | undefined> {
    const found = await findSignIn(url, refusal.headers, attempt)
    if (!found && !wantsPastedToken(refusal)) return undefined
    const about = { url, auth: { type: 'bearer' as const }, server: {}, ...found }
    return { about, toolsHidden: true, ...noPages }
  }

  async function ask({ url, party, token = '', auth, wantsSignIn }: Wanted, attempt: Attempt): Promise<Listed> {
    try {
      const session = await openSession({ url, token }, attempt, { stream, threads, party, timeoutMs, maxBytes })
      try {
        const { texts, ttlMs } = session.hasTools ? await pagesOf(session) : noPages
        const found = wantsSignIn ? await openlyStated(url, attempt) : undefined
        return { about: { url, auth: auth ?? found ?? pasted(token), server: session.server }, texts, ttlMs }
      } finally {
        session.end()
      }
    } catch (error) {
      const { refusal } = attempt
      const isSignIn = token === '' && refusal?.status === 401
      const listed = isSignIn ? await refused(url, refusal, attempt).catch(asUnstated) : undefined
      if (listed) return listed
      throw isSignIn ? noSignIn() : toCoded(error, attempt, maxBytes)
    }
  }

  return async (wanted: Wanted): Promise<Omit<ListedSite, 'dialect' | 'origin'>> => {
    const { token = '', party } = wanted
    const endsAt = performance.now() + timeoutMs
    const { about, texts, ttlMs, toolsHidden } = await attempting({ endsAt }, (attempt) => ask(wanted, attempt))
    // Put together as texts: the event loop need not parse what a thread reads.
    const text = `${JSON.stringify(about).slice(0, -1)},"pages":[${texts.join(',')}]}`
    const read = await threads
      .run(party, 'readTools', { text, secrets: token === '' ? [] : [token] })
      .catch(orElse({ problems: [{ path: 'tools', message: 'take too long to check' }] }))
    if (!('text' in read)) throw invalidManifest(read.problems)
    const staleAfterSeconds = Number.isFinite(ttlMs) ? Math.ceil(Math.max(0, ttlMs) / 1000) : undefined
    return {
      manifest: JSON.parse(read.text) as Manifest,
      ...(toolsHidden && { toolsHidden }),
      ...(staleAfterSeconds !== undefined && { staleAfterSeconds }),
    }
  }
}

interface Wanted extends Omit<KnownSite, 'dialect'> {
  url: string
  /** The fairness key in the threads. */
  party: string
}

interface Pages {
  texts: string[]
  /** Infinite if the server does not say it. */
  ttlMs: number
}

interface Listed extends Pages {
  about: Omit<Listing, 'pages'>
  toolsHidden?: true
}

const noPages: Pages = { texts: [], ttlMs: Infinity }

/**
 * Servers without metadata want a token that their users create. That they are MCP servers shows the challenge that RFC
 * 9110 (15.5.2) demands of them, or the form of the refusal. Any host may answer 401 to a POST.
 * Only its beginning is read, byte by byte, because the cut may divide a character.
 */
const wantsPastedToken = ({ headers, body }: SafeResponse): boolean =>
  isBearerChallenge(headers) || jsonRpc.test(Buffer.from(body.subarray(0, 1000)).toString('latin1'))

const jsonRpc = /^\s*\{.*"jsonrpc"\s*:\s*"2\.0"/s

const noSignIn = () =>
  new CodedError('MANIFEST_NOT_FOUND', {
    message:
      'The address responded with 401 and does not say how to sign in. If it is an MCP server, connect it with a token.',
    cause: new UnstatedSignIn(),
  })

/** Metadata that cannot be read says no more than none. */
function asUnstated(error: unknown): never {
  if (!isCoded(error, 'MANIFEST_NOT_FOUND')) throw error
  const { message, privateDetail = '', cause } = error
  throw new CodedError('MANIFEST_NOT_FOUND', { message, privateDetail, cause: new UnstatedSignIn(message, { cause }) })
}

const pasted = (token: string) => ({ type: token === '' ? ('none' as const) : ('bearer' as const) })

const invalid = (path: string, message: string) => invalidManifest([{ path, message } satisfies ErrorDetail])

function toCoded(error: unknown, attempt: Attempt, maxBytes: number): CodedError {
  if (error instanceof CodedError) return error
  const { failure } = attempt
  if (failure?.reason === 'too-large' && !(error instanceof NotOpened))
    return invalid('', `is larger than ${maxBytes} bytes`)
  if (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult)
    return invalid('tools', 'is no list of tools')
  // The message of the library's error, and of its cause, is the server's, and may quote the token.
  const privateDetail = failure?.message ?? (error instanceof Error ? error.name : '')
  const message = reasonOf(error, attempt)
  const cause = failure ?? (attempt.refusal?.status === 403 ? new UnstatedSignIn() : undefined)
  return new CodedError('MANIFEST_NOT_FOUND', { message, privateDetail, cause })
}

/** Sentences for a missing list. That a host cannot be reached was found before, with the manifest's address. */
function reasonOf(error: unknown, { failure, refusal, status }: Attempt): string {
  if (refusal)
    return refusals[refusal.status] ?? `The MCP server failed with status ${refusal.status}. Try again later.`
  if (!(error instanceof NotOpened)) return 'The MCP server did not list its tools.'
  if (failure?.reason === 'redirect') return `${noServer}: it responded with a redirect. Redirects are not followed.`
  if (failure?.reason === 'too-large') return `${noServer}: its first answers are too large.`
  return status === undefined || failure ? `${noServer}.` : `${noServer}: it responded with status ${status}.`
}

const noServer = 'There is no MCP server at the address'

const refusals: Record<number, string> = {
  401: 'The MCP server rejected the token.',
  403: 'The MCP server refused the request with status 403. It may need a token, or another one.',
  429: 'The MCP server has had too many requests. Try again later.',
}
