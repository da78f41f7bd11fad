import type { Middleware } from 'koa'
import type { GenericSchema, InferOutput } from 'valibot'
import type { ErrorCode } from '../../src/errors.ts'
import type { Services } from '../../src/services.ts'
import type { ActFor } from '../../src/owners/reach.ts'
import type { Action } from '../../src/owners/roles.ts'
import type { Caller, Scope } from '../../src/users/caller.ts'
import type { BrowserAnswer } from '../browser/browser-answer.ts'
import type { WithCookies } from '../browser/cookies.ts'
import type { ChatStream } from '../streams/chat-stream.ts'
import type { SubjectKind } from '../../src/audit/audit-entry.ts'
import type { OutlineName } from './body.ts'
import type { Proof } from './proof.ts'
import type { Params, RequestFacts } from './request-facts.ts'

/**
 * Who may call: `anyone`; `account`, with an access token or an API key; `login`, only with an access token, for
 * operations that an API key must not do (create keys, log out); `admin`, with the access token of an operator of the
 * platform.
 */
export type Access = 'anyone' | 'account' | 'login' | 'admin'

export type Limit = 'caller' | 'address' | 'browser' | 'none'

/**
 * What the audit log records about a route: the kind of thing it changes, or why nothing is recorded. `home` records it
 * in the log of the user instead of the workspace, which is created or deleted.
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
  proven: Proven
  query: Output<Query>
  body: Output<Body>
  /** The bytes of the body if the route declares `rawBody`. */
  raw: Buffer
  resource: Resource
  /** The owner concerned: that of the resource, or the one named by the request (`owner`), or the caller. */
  ownerId: A extends 'anyone' ? undefined : string
}

interface Acting<A extends Access> {
  /** For owners that the handler finds. */
  actFor: A extends 'anyone' ? undefined : ActFor
}

/**
 * The declaration of a route. Validation, authorization, rate limits, the OpenAPI document and the typed test client
 * all come from it. Checks run in this order: token, rate, terms, proof, resource, permission, query and body, handler.
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
  /** How a caller without an account authenticates, if `access` is `anyone`. */
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
   * The route lists or creates things of one owner: the workspace that `workspaceId` of the query or the body names, or
   * else the caller.
   */
  owner?: 'query' | 'body'
  /**
   * Whether the route concerns the user's own account, so that API keys of a workspace and logins through a workspace's
   * provider cannot use it. By default, this applies to routes that need a login and concern no owner.
   */
  ofUser?: boolean
  /** The permission that the caller needs for the owner's things. By default, `see` for GET, and otherwise `build`. */
  needs?: Action
  /** The scope that an API key or an app needs. By default, `read` for GET, and otherwise `write`. */
  scope?: Scope
  /** Also works in a workspace whose owner lacks the tier. */
  whenClosed?: true
  /** Fails with NOT_FOUND if the installation has no payments. */
  needsPayments?: true
  /** Also works for an account that is scheduled for deletion. */
  whileClosing?: true
  /**
   * The change may end the caller's own login, role or membership, so the permission is checked before it and not
   * after.
   */
  endsAccess?: true
  query?: Query
  headers?: Record<string, string>
  body?: Body
  /**
   * The handler gets the bytes of a JSON body, so that it can keep parts of it unchanged. With a `body` schema, only
   * the outline is validated (the kinds of members, not their contents), and numbers of any size are allowed. Without
   * one, the handler validates the bytes, and `documentation` is their schema. With `optional`, the body may be absent.
   */
  rawBody?: {
    maxBytes: (services: Services) => number
    /** What the sender of a larger body can do. */
    advice?: string
    optional?: true
    documentation?: GenericSchema
    /** The outline to use if more than the kinds of the members is read. The rest of the body may be anything. */
    outline?: OutlineName
  }
  /** Writes the answer as CSV, for clients that prefer that to JSON. */
  csv?: (answer: Output<Response>) => string
  /** The media type of an answer that is text and not JSON. */
  plainText?: string
  /** The handler may stream an answer of a chat. */
  chatStream?: true
  /** Opened in a browser: `handle` returns a `BrowserAnswer`, and failures are pages for clients that prefer one. */
  browser?: true
  /** What the audit log records. Every route that changes something declares it. */
  audit?: Audited
  /** Reads the changed thing for the audit log, before and after the change. By default, that is the resource. */
  look?: (
    input: Before<Path, A> & { resource: Resource; ownerId: A extends 'anyone' ? undefined : string },
  ) => Promise<object | undefined>
  /** Finds the thing that the path names. Throws its NOT_FOUND, also if the caller may not see the thing. */
  resource?: (input: Before<Path, A>) => Promise<Resource>
  status: 200 | 201 | 202 | 204 | 303
  response?: Response
  /** The same as server-sent events, for clients that ask for `text/event-stream`. */
  stream?: Stream<Input<Path, A, Query, Body, Resource, Proven>>
  /** Other successes that the handler can return (with `inPlace`), by status. */
  alternatives?: Readonly<Record<number, { description: string; response: GenericSchema }>>
  /** The codes of this route besides those that the declaration implies. */
  codes?: readonly ErrorCode[]
  /** Absent only if the route has `serve`. */
  handle?: (
    input: Input<Path, A, Query, Body, Resource, Proven> & Acting<A>,
  ) => Promise<Response extends GenericSchema ? unknown : Nothing>
  /** Serves the request in place of `mount` and the checks that it makes from the declaration. */
  serve?: (services: Services) => Middleware
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
 * An item of a stream. It becomes one event, with `number` as its id and `kind` as its type. An item without a number
 * is passing: a reader who reconnects continues after the last numbered item.
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
   * Runs after all checks and before the stream starts, so its errors are normal error responses. Returns undefined if
   * no items will ever follow. The signal aborts when the reader disconnects.
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
