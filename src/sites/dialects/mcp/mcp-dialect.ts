import type { Config } from '../../../config/config.ts'
import { assertThat } from '../../../errors.ts'
import { readExactly } from '../../../outputs/exact-json.ts'
import type { SafeStream } from '../../../safe-fetch/safe-fetch.ts'
import { parseSiteUrl } from '../../../safe-fetch/site-url.ts'
import { inlineCharacters } from '../../../threads/inline-characters.ts'
import type { CallOutcome } from '../../../tools/call-outcome.ts'
import type { CallSite, SiteCall } from '../../../tools/call-site.ts'
import { orElse } from '../../../threads/threads.ts'
import { unreadResult } from '../../../tools/unread-result.ts'
import type { Adapter } from '../dialect.ts'
import { access } from './sign-in/access.ts'
import { attempting } from './attempt.ts'
import { createCallErrors, asStale, isSessionError, saysUnknownTool } from './call-errors.ts'
import { parameterHeaders } from './header-parameters.ts'
import { answeringParams, canAsk, readInputRequired } from './input-required.ts'
import { createListTools } from './list-tools.ts'
import { NotOpened, openSession, saying, type Answer, type Session } from './session.ts'
import { createSessions } from './sessions.ts'
import { asTask, canHaveTasks } from './tasks/capability.ts'
import { createFollowTask } from './tasks/follow-task.ts'
import { taskIn } from './tasks/ticket.ts'
import { readToolResult, type GivenResult, type ReadResult } from './tool-result.ts'

/** MCP servers that speak streamable HTTP, of every revision since 2025-03-26. Their key is the full endpoint. */
export function createMcpDialect(
  context: Parameters<typeof createListTools>[0] & {
    stream: SafeStream
    callSite: CallSite
    config: { sites: Pick<Config['sites'], 'timeoutSeconds' | 'resultBytes'> }
  },
): Adapter {
  const { stream, threads, callSite, config } = context
  const { timeoutSeconds, resultBytes: maxBytes } = config.sites
  const timeoutMs = timeoutSeconds * 1000
  const listTools = createListTools(context)
  const errors = createCallErrors({ callSite })
  // The call itself gets the other half of its time, or more.
  const open = ({ serverUrl: url, token, ownerId: party }: SiteCall, sessionId?: string) =>
    attempting({ endsAt: performance.now() + timeoutMs / 2 }, (attempt) =>
      openSession({ url, token, sessionId }, attempt, { stream, threads, party, timeoutMs, maxBytes }),
    )
  const sessions = createSessions((call: SiteCall) => open(call))

  /** The session of a call: the one of its task if that may be found in no other. */
  function sessionOf(call: SiteCall, isRepeat = false): Promise<Session> {
    const { sessionId } = isRepeat ? {} : taskIn(call)
    return sessionId === undefined ? sessions.of(call) : open(call, sessionId)
  }

  /** The outcome of one request; undefined if the server refused it because it has forgotten the session. */
  const ask = (
    call: SiteCall,
    session: Session,
    { endsAt, isNew }: { endsAt: number; isNew: boolean },
  ): Promise<CallOutcome | undefined> =>
    attempting({ endsAt, signal: call.signal }, async (attempt) => {
      if (call.job !== undefined) return askAboutTask({ call, session, attempt }, isNew)
      const params = paramsOf(call, session)
      const headers = parameterHeaders(call.pinned?.input_schema, params.arguments)
      const answer = await session
        .request({ method: 'tools/call', params }, { signal: call.signal, headers })
        .then((answered) => ({ answered }))
        .catch((error: unknown) => ({ error }))
      if ('answered' in answer) return ofAnswer(call, session, answer.answered, attempt.status ?? 200)
      call.signal?.throwIfAborted()
      // A session that was opened for this request cannot be forgotten yet: then the words mean something else.
      if (session.isKept && !isNew && isSessionError(answer.error)) return undefined
      return errors.ofError(call, answer.error, attempt)
    })

  async function askAboutTask(asked: Parameters<typeof tasks.follow>[0], isNew: boolean) {
    const { call, session } = asked
    return tasks.follow(asked).catch((error: unknown) => {
      call.signal?.throwIfAborted()
      return session.isKept && !isNew && isSessionError(error) ? undefined : tasks.ofError(asked, error)
    })
  }

  function ofAnswer(call: SiteCall, session: Session, answer: Answer, httpStatus: number): Promise<CallOutcome> {
    const { text, isTask, question } = answer
    if (isTask && mayBeTask(call, session)) return tasks.created({ call, session }, text, httpStatus)
    return question ? ofQuestion(call, question, httpStatus) : ofResult(call, text, httpStatus)
  }

  async function ofQuestion(call: SiteCall, question: Record<string, unknown>, httpStatus: number) {
    const asked = readInputRequired(question)
    if ('form' in asked) return callSite.ofQuestion(call, httpStatus, asked)
    return { kind: 'rejected', httpStatus, certain: false, text: asked.refusal } satisfies CallOutcome
  }

  const read = async (given: GivenResult, party: string): Promise<ReadResult> =>
    given.schema === undefined && given.text.length <= inlineCharacters
      ? readToolResult(given)
      : threads.run(party, 'readToolResult', given).catch(orElse({ problem: 'It is too complex.' }))

  async function ofResult(call: SiteCall, text: string, httpStatus: number): Promise<CallOutcome> {
    const schema = call.pinned?.output_schema === undefined ? undefined : JSON.stringify(call.pinned.output_schema)
    const result = await read({ text, schema }, call.ownerId)
    if ('text' in result) return callSite.ofResult(call, httpStatus, result.text)
    if ('problem' in result) return { kind: 'unread', httpStatus, text: `${unreadResult} ${result.problem}` }
    const sentence = 'The tool reported an error.'
    const outcome = await callSite.ofFailure(call, 'rejected', { httpStatus, sentence, words: result.error })
    return saysUnknownTool(result.error) ? asStale(outcome) : outcome
  }

  const tasks = createFollowTask({ callSite, threads, errors, ofResult })

  /** A request that a server refuses for its session was not executed, so it is repeated once in a new session. */
  async function make(call: SiteCall, endsAt: number, isRepeat = false): Promise<CallOutcome> {
    const isNew = isRepeat || (taskIn(call).sessionId === undefined && !sessions.knows(call))
    const opening = sessionOf(call, isRepeat)
    const session = await opening.catch(async (error: unknown) => {
      if (!(error instanceof NotOpened)) throw error
      return errors.ofNotOpened(call, error)
    })
    if (!('request' in session)) return session
    call.signal?.throwIfAborted()
    if (performance.now() >= endsAt) return errors.late
    const outcome = await ask(call, session, { endsAt, isNew })
    const isWell =
      outcome?.kind === 'succeeded' ||
      outcome?.kind === 'asks' ||
      outcome?.kind === 'accepted' ||
      (outcome?.kind === 'rejected' && outcome.httpStatus === 200)
    // Whatever is wrong with the session, the next call begins anew.
    if (!isWell) sessions.forget(call, opening)
    return outcome ?? make(call, endsAt, true)
  }

  return {
    isPersonal: true,
    offersChoice: false,
    async list(address, party, known) {
      const url = parseSiteUrl(address)
      assertThat(!mayHoldSecret(url), 'INVALID_URL', { message: secretInQuery })
      // An empty query makes no other address.
      if (url.search === '') url.search = ''
      const { href } = url
      return { origin: href, ...(await listTools({ ...known, url: href, party })) }
    },
    access,
    call: (call) => callSite.attempt(call, () => make(call, performance.now() + timeoutMs)),
    abandon: (call) =>
      attempting({ endsAt: performance.now() + timeoutMs, signal: call.signal }, async (attempt) =>
        tasks.abandon({ call, attempt, session: await sessionOf(call) }),
      ),
  }
}

/** The address is the site's key, and is shown to everybody who may see the site. */
const mayHoldSecret = ({ searchParams }: URL): boolean =>
  [...searchParams].some(([name, value]) => secretName.test(name) || secretValue.test(value))

const secretName =
  /(?:^|[_-]|api|access|auth)keys?$|token|secret|passw|credential|jwt|^pat$|^auth(?:orization)?$|^sig(?:nature)?$/i

/** How well-known services begin their keys, and JWTs. */
const secretValue = /^(?:[prs]k_|gh[oprsu]_|github_pat_|glpat-|xox[abeprs]-|eyJ[\w-]{10,}\.)/

const secretInQuery =
  "The URL's query seems to hold a secret. Addresses are shown, so connect the site with the secret as its token."

/** Whether a call is one that the server may make a task. */
const mayBeTask = ({ mayLast, pinned }: Pick<SiteCall, 'mayLast' | 'pinned'>, { tasks }: Session): boolean =>
  mayLast === true && (tasks === 'offered' || (tasks === 'requested' && pinned?.job !== undefined))

const paramsOf = ({ tool, arguments: args, mayAsk, mayLast, answer, pinned }: SiteCall, session: Session) => ({
  name: tool,
  arguments: readExactly(args),
  ...capabilitiesFor({ mayAsk: mayAsk && session.mayAsk, mayLast: mayLast && session.tasks === 'offered' }),
  ...(session.tasks === 'requested' && mayBeTask({ mayLast, pinned }, session) && asTask),
  ...(answer && answeringParams(answer)),
})

const capabilitiesFor = ({ mayAsk, mayLast }: Pick<SiteCall, 'mayAsk' | 'mayLast'>) =>
  mayAsk || mayLast ? saying({ ...(mayAsk && canAsk), ...(mayLast && canHaveTasks) }) : {}
