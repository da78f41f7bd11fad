import { Client } from '@modelcontextprotocol/client'
import * as v from 'valibot'
import { version } from '../../../version.ts'
import { attempts, type Attempt } from './attempt.ts'
import { sessionFetch, type Reading } from './session-fetch.ts'
import { SessionTransport } from './session-transport.ts'
import { canHaveTasks, tasksOf, type TaskKind } from './tasks/capability.ts'
import { placeOf } from './trim-message.ts'

/** An open session with an MCP server, of one credential. Requests may run beside each other. */
export interface Session {
  /** What the server says about itself. */
  server: Partial<Record<'name' | 'title' | 'version' | 'description' | 'instructions', string | undefined>>
  hasTools: boolean
  /** Whether the server may ask for input in its results, as it may since 2026-07-28. */
  mayAsk: boolean
  /** Whether the server keeps the session, and so may have forgotten it. */
  isKept: boolean
  /** How the server makes calls of tools tasks; undefined if it does not. */
  tasks: TaskKind | undefined
  /** What the parameters of requests about tasks have in common. */
  ofTasks: object
  /** Sends a request as part of the attempt under way. Throws errors of the library. */
  request: (
    request: { method: Method; params: Record<string, unknown> },
    options?: { signal?: AbortSignal | undefined; headers?: Record<string, string> },
  ) => Promise<Answer>
  /**
   * The id by which another process can use the session, whose tasks may end with it: so it is not ended any more.
   * Undefined if the server keeps none.
   */
  keep: () => string | undefined
  /** Ends the session at the server as soon as no request uses it. Never fails. */
  end: () => void
}

type Method = `tools/${'list' | 'call'}` | `tasks/${'get' | 'result' | 'update' | 'cancel'}`

export interface Answer {
  /** The result as the server wrote it, without whitespace. */
  text: string
  /** Whether the result is that a task was created. */
  isTask: boolean
  /** The result if it asks for input before the call is finished. */
  question?: Record<string, unknown>
  /** Where the list goes on. */
  nextCursor: unknown
  /** For how long the list is current, in milliseconds. */
  ttlMs: unknown
}

interface Peer {
  url: string
  /** Empty for none. */
  token: string
  /** A session that is open, and in which a task was created. */
  sessionId?: string | undefined
}

/** A session could not be opened. Nothing else was sent. `attempt` knows what the server answered. */
export class NotOpened extends Error {
  override readonly name = 'NotOpened'
  readonly attempt: Attempt

  constructor(attempt: Attempt, cause: unknown) {
    super('The MCP session could not be opened.', { cause })
    this.attempt = attempt
  }
}

/**
 * As long as a timer can be, so the library's never fires. Each request ends with its response, and the response has
 * limits. With two timers, the library's would decide whenever a process stands still for longer than their difference,
 * and a silent server would look like one that speaks another protocol.
 */
const timeout = 2 ** 31 - 1

/** The only revision whose sessions may have tasks. */
const revisionOfTasks = '2025-11-25'

/**
 * Opens a session: asks for the current protocol, and falls back to those with a handshake. Nothing is sent for one that
 * is open. The token is sent with every request. Throws NotOpened.
 */
export async function openSession(
  { url, token, sessionId }: Peer,
  attempt: Attempt,
  reading: Reading,
): Promise<Session> {
  const transport = new SessionTransport(new URL(url), {
    fetch: sessionFetch(reading),
    ...(token !== '' && { authProvider: { token: async () => token } }),
    reconnectionOptions: neverAgain,
    ...(sessionId !== undefined && { sessionId, protocolVersion: revisionOfTasks }),
  })
  const client = new Client(
    { name: 'switchyard', version },
    { versionNegotiation: { mode: 'auto' }, inputRequired: { autoFulfill: false }, jsonSchemaValidator: unused },
  )
  try {
    await client.connect(transport, { timeout })
  } catch (error) {
    throw new NotOpened(attempt, error)
  }
  let uses = 0
  let isOver = false
  let isLeft = sessionId !== undefined
  const leaveServer = () => isLeft || attempts.run(undefined, () => transport.terminateSession().catch(() => {}))
  const mayAsk = client.getProtocolEra() === 'modern'
  const capabilities = client.getServerCapabilities()
  const { name, title, version: serverVersion, description } = client.getServerVersion() ?? {}
  return {
    server: { name, title, version: serverVersion, description, instructions: client.getInstructions() },
    mayAsk,
    tasks: sessionId === undefined ? tasksOf(capabilities, mayAsk) : 'requested',
    ofTasks: mayAsk ? saying(canHaveTasks) : {},
    hasTools: capabilities?.tools !== undefined,
    isKept: transport.sessionId !== undefined,
    async request(request, { signal, headers } = {}) {
      uses += 1
      try {
        const options = { timeout, allowInputRequired: true, ...(signal && { signal }), ...(headers && { headers }) }
        return answerIn(await client.request(request, anyObject, options), mayAsk)
      } finally {
        uses -= 1
        if (isOver && uses === 0) void leaveServer()
      }
    },
    keep() {
      isLeft = true
      return transport.sessionId
    },
    end() {
      isOver = true
      if (uses === 0) void leaveServer()
    },
  }
}

/** The library got only an outline of the result. */
function answerIn(result: Record<string, unknown>, mayAsk: boolean): Answer {
  const { [placeOf]: place, resultType, isTask: given, nextCursor, ttlMs } = result
  const isTask = given === true
  if (mayAsk && resultType === 'input_required') return { text: '', isTask, question: result, nextCursor, ttlMs }
  const text = attempts.getStore()?.results[Number(place)]
  if (text === undefined) throw new Error('The answer is no result.')
  return { text, isTask, nextCursor, ttlMs }
}

/** Parameters of a request that say what the platform can do, as requests do since 2026-07-28. */
export const saying = (capabilities: object) => ({
  _meta: { 'io.modelcontextprotocol/clientCapabilities': capabilities },
})

/** The library checks results by it. The platform's own checks come later, in a thread. */
const anyObject = v.record(v.string(), v.unknown())

/** A response that was cut is not asked for again. */
const neverAgain = {
  maxRetries: 0,
  initialReconnectionDelay: 0,
  maxReconnectionDelay: 0,
  reconnectionDelayGrowFactor: 1,
}

/** Code compiled from a stranger's schema would run beside everybody's credentials, so the library may compile none. */
const unused = {
  getValidator: () => {
    throw new Error('Schemas of servers are not compiled.')
  },
}
