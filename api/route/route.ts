import type { GenericSchema, InferOutput } from 'valibot'
import type { ErrorCode } from '../../src/errors.ts'
import type { Services } from '../../src/services.ts'
import type { Action } from '../../src/owners/roles.ts'
import type { Caller } from '../../src/users/caller.ts'
import type { BrowserAnswer } from '../browser/browser-answer.ts'
import type { WithCookies } from '../browser/cookies.ts'
import type { ChatStream } from '../streams/chat-stream.ts'
import type { SubjectKind } from '../../src/audit/audit-entry.ts'
import type { OutlineName } from './body.ts'
import type { Proof } from './proof.ts'
import type { Params, RequestFacts } from './request-facts.ts'

/**
 * Who may call: `anyone`; `account`, an access token or an API key; `login`, an access token only, for what an API key
 * must not do (create keys, log out); `admin`, an access token of an operator of the platform.
 */
export type Access = 'anyone' | 'account' | 'login' | 'admin'

export type Limit = 'caller' | 'address' | 'browser' | 'none'

/**
 * What the audit log notes of a route: what it changes, or why there is nothing to note. `home`: in the log of the user,
 * not in that of the workspace that is made or deleted.
 */
type Audited = { subject: SubjectKind; in?: 'home' } | { not: string }

type Output<Schema> = Schema extends GenericSchema ? InferOutput<Schema> : undefined

interface Before<Path extends string, A extends Access> {
  services: Services
  params: Params<Path>
  caller: A extends 'anyone' ? undefined : Caller
  request: RequestFacts
}

interface Input<Path extends string, A extends Access, Query, Body, Resource, Proven> extends Before<Path, A> {
  /** What the route's `proof` has proven. */
  proven: Proven
  query: Output<Query>
  body: Output<Body>
  /** The bytes of the body if the route declares `rawBody`. */
  raw: Buffer
  resource: Resource
  /** Whose things it is about: the resource’s owner, or the one that is named (`owner`), or the caller’s own. */
  ownerId: A extends 'anyone' ? undefined : string
}

/**
 * The declaration of a route. Validation, authorization, rate limits, the OpenAPI document and the typed test client
 * all come from it, and what clients read of its schemas. Checks run in this order: token, rate, terms, proof, resource,
 * permission, query and body, handler.
 */
export interface Route<
  Path extends string = string,
  A extends Access = Access,
  Query extends GenericSchema | undefined = GenericSchema | undefined,
  Body extends GenericSchema | undefined = GenericSchema | undefined,
  Response extends GenericSchema | undefined = GenericSchema | undefined,
  Resource = unknown,
  Proven = unknown,
> {
  name: string
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** With parameters in braces, as in OpenAPI. */
  path: Path
  tag: string
  summary: string
  description?: string
  access: Access & A
  /** How a caller without an account proves that the route is for them, if `access` is `anyone`. */
  proof?: Proof<Path, Proven>
  /** false if the route works before the terms are accepted (`/auth/*`). */
  terms?: boolean
  /**
   * Which rate limit counts this request: right after the token is checked, because it protects the platform from work.
   * `address` and `browser` both count by the client address, but separately, so that browsers that return from a site
   * do not use up logins.
   */
  limit?: Limit
  /**
   * The route lists or makes things of one owner: of the workspace that the member `workspaceId` of the query or the body
   * names, or else one's own.
   */
  owner?: 'query' | 'body'
  /**
   * Whether the route is about the account of a user: an API key of a workspace, or a login by a workspace's provider,
   * cannot use it. So are all that need a login and are about no owner, unless they say otherwise.
   */
  ofUser?: boolean
  /** What the caller must be permitted to do with the owner's things; otherwise to `see` them (GET), or to `build`. */
  needs?: Action
  /** Also in a workspace whose owner lacks the tier. */
  whenClosed?: true
  /** NOT_FOUND where the installation has no payments. */
  needsPayments?: true
  /** Also for an account that is to be deleted. */
  whileClosing?: true
  /** The change may end the caller's own login, role or membership, so it is permitted before it is made, and not after. */
  endsAccess?: true
  query?: Query
  /** The headers that this route reads: name and meaning. */
  headers?: Record<string, string>
  body?: Body
  /**
   * The handler gets the bytes of a JSON body, and keeps what it needs of them as it came. With a `body`, their outline
   * is validated by it (kinds of members, without contents), and numbers of any size are allowed; without one, the
   * handler validates them itself, and `documentation` is their schema. `optional`: a request without a body is fine.
   */
  rawBody?: {
    maxBytes: (services: Services) => number
    /** What the sender of a larger body can do. */
    advice?: string
    optional?: true
    documentation?: GenericSchema
    /** What is read of the body, if that is more than the kinds of its members: the rest may be anything. */
    outline?: OutlineName
  }
  /** Writes the answer as CSV, for clients that prefer that to JSON. */
  csv?: (answer: Output<Response>) => string
  /** The handler may answer with an answer of a chat as it comes. */
  chatStream?: true
  /** Opened in a browser: `handle` returns a `BrowserAnswer`, and failures are pages for clients that prefer one. */
  browser?: true
  /** What the audit log notes; every route that changes something says so. */
  audit?: Audited
  /** Finds what it changes, for the audit log, before and after the change; the resource without it. */
  look?: (input: Before<Path, A> & { resource: Resource }) => Promise<object | undefined>
  /** Finds what the path names. Throws its NOT_FOUND, also if the caller may not see it. */
  resource?: (input: Before<Path, A>) => Promise<Resource>
  status: 200 | 201 | 202 | 204 | 303
  response?: Response
  /** The same as server-sent events, for clients that ask for `text/event-stream`. */
  stream?: Stream<Input<Path, A, Query, Body, Resource, Proven>>
  /** Other successes that the handler can return (with `inPlace`), by status. */
  alternatives?: Readonly<Record<number, { description: string; response: GenericSchema }>>
  /** The codes of this route besides those that the declaration implies. */
  codes?: readonly ErrorCode[]
  handle: (
    input: Input<Path, A, Query, Body, Resource, Proven>,
  ) => Promise<Response extends GenericSchema ? unknown : Nothing>
}

const alternative = Symbol('alternative')

/** A success that replaces the usual one. Its status is one of the route's `alternatives`. */
export interface Alternative {
  [alternative]: true
  status: number
  content: unknown
}

/** A handler returns this to answer with one of its route's `alternatives`. */
export const inPlace = (status: number, content: unknown): Alternative => ({ [alternative]: true, status, content })

export const isAlternative = (answer: unknown): answer is Alternative =>
  typeof answer === 'object' && answer !== null && alternative in answer

/**
 * An item of a stream. It becomes one event, with `number` as its id and `kind` as its type. One without a number is
 * passing: a reader who comes back goes on after the last that had one.
 */
export interface StreamItem {
  number?: number
  kind: string
}

/** Items that are sent together. Streams of one resource share a page, so its text is made only once. */
export type StreamPage = readonly StreamItem[]

/** A streamed response (HTML, 9.2, "Server-sent events"). */
interface Stream<Given> {
  description: string
  /** The schema of an item: the `data` of an event. */
  item: GenericSchema
  /** The schema of an item without a number. */
  passing: GenericSchema
  /**
   * Runs after all checks and before the stream begins; its errors are answered like any other failure. undefined if no
   * items will ever follow. The signal aborts when the reader is gone.
   */
  open: (input: Given & { signal: AbortSignal }) => Promise<AsyncIterable<StreamPage> | undefined>
}

/** What a handler without a response schema returns; a browser route may redirect. */
type Nothing = void | BrowserAnswer | ChatStream | WithCookies | undefined

/** Any route, for the code that mounts and documents them. */
// oxlint-disable-next-line typescript/no-explicit-any -- routes differ in what their handlers take; only mounting calls them
export type AnyRoute = Route<string, any, any, any, any, any, any>

/** Declares a route. It exists only for type inference. */
export function route<
  const Path extends string,
  A extends Access,
  Query extends GenericSchema | undefined = undefined,
  Body extends GenericSchema | undefined = undefined,
  Response extends GenericSchema | undefined = undefined,
  Resource = undefined,
  Proven = undefined,
>(
  declaration: Route<Path, A, Query, Body, Response, Resource, Proven>,
): Route<Path, A, Query, Body, Response, Resource, Proven> {
  return declaration
}
