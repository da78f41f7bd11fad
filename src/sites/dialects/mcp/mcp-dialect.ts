import type { Config } from '../../../config/config.ts'
import { readExactly } from '../../../outputs/exact-json.ts'
import type { SafeStream } from '../../../safe-fetch/safe-fetch.ts'
import { parseSiteUrl } from '../../../safe-fetch/site-url.ts'
import type { CallOutcome, CallSite, SiteCall } from '../../../tools/call-site.ts'
import type { Adapter } from '../dialect.ts'
import { access } from './sign-in/access.ts'
import { attempting } from './attempt.ts'
import { createCallErrors, isSessionError } from './call-errors.ts'
import { createListTools } from './list-tools.ts'
import { NotOpened, openSession, type Session } from './session.ts'
import { createSessions } from './sessions.ts'
import { resultText, wordsOf } from './tool-result.ts'

/** MCP servers that speak streamable HTTP, of every revision since 2025-03-26. Their key is the full endpoint. */
export function createMcpDialect(
  context: Parameters<typeof createListTools>[0] & {
    stream: SafeStream
    callSite: CallSite
    config: { sites: Pick<Config['sites'], 'timeoutSeconds' | 'resultBytes'> }
  },
): Adapter {
  const { stream, callSite, config } = context
  const { timeoutSeconds, resultBytes: maxBytes } = config.sites
  const timeoutMs = timeoutSeconds * 1000
  const listTools = createListTools(context)
  const errors = createCallErrors({ callSite })
  // The call itself gets the other half of its time, or more.
  const sessions = createSessions(({ serverUrl, token }: SiteCall) =>
    attempting({ endsAt: performance.now() + timeoutMs / 2 }, (attempt) =>
      openSession({ url: serverUrl, token }, attempt, { stream, timeoutMs, maxBytes }),
    ),
  )

  /** The outcome of one request; undefined if the server refused it because it does not know the session. */
  const ask = (call: SiteCall, session: Session, endsAt: number): Promise<CallOutcome | undefined> =>
    attempting({ endsAt, signal: call.signal }, async (attempt) => {
      const params = { name: call.tool, arguments: readExactly(call.arguments) }
      const answer = await session
        .request({ method: 'tools/call', params }, call.signal)
        .then((result) => ({ result }))
        .catch((error: unknown) => ({ error }))
      if ('result' in answer) return ofResult(call, answer.result, attempt.status ?? 200)
      call.signal?.throwIfAborted()
      if (session.isKept && isSessionError(answer.error)) return undefined
      return errors.ofError(call, answer.error, attempt)
    })

  async function ofResult(call: SiteCall, result: Record<string, unknown>, httpStatus: number): Promise<CallOutcome> {
    if (result['isError'] !== true) return callSite.ofResult(call, httpStatus, resultText(result))
    const sentence = 'The tool reported an error.'
    return callSite.ofFailure(call, 'rejected', { httpStatus, sentence, words: wordsOf(result) })
  }

  /** A request that a server refuses for its session was not executed, so it is repeated once in a new session. */
  async function make(call: SiteCall, endsAt: number, isRepeat = false): Promise<CallOutcome> {
    const opening = sessions.of(call)
    const session = await opening.catch(async (error: unknown) => {
      if (!(error instanceof NotOpened)) throw error
      return errors.ofNotOpened(call, error)
    })
    if (!('request' in session)) return session
    call.signal?.throwIfAborted()
    if (performance.now() >= endsAt) return errors.late
    const outcome = await ask(call, session, endsAt)
    const isWell = outcome?.kind === 'succeeded' || (outcome?.kind === 'rejected' && outcome.httpStatus === 200)
    // Whatever is wrong with the session, the next call begins anew.
    if (!isWell) sessions.forget(call, opening)
    return outcome ?? (isRepeat ? errors.lost : make(call, endsAt, true))
  }

  return {
    async list(address, party, known) {
      const { href } = parseSiteUrl(address)
      return { origin: href, manifest: await listTools(href, party, known) }
    },
    access,
    call: (call) => callSite.attempt(call, () => make(call, performance.now() + timeoutMs)),
  }
}
