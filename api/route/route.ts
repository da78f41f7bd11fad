import type { GenericSchema, InferOutput } from 'valibot'
import type { ErrorCode } from '../../src/errors.ts'
import type { Services } from '../../src/services.ts'
import type { Caller } from '../../src/users/caller.ts'
import type { BrowserAnswer } from '../browser/browser-answer.ts'
import type { Proof } from './proof.ts'
import type { Params, RequestFacts } from './request-facts.ts'

/**
 * Who may call: `anyone`; `account`, a person's access token or an API key; `login`, an access token only, for what an
 * API key must not do (make further keys, log out); `admin`, an access token of somebody who operates the platform.
 */
export type Access = 'anyone' | 'account' | 'login' | 'admin'

export type Limit = 'caller' | 'address' | 'browser' | 'none'

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
  /** The bytes of the body where the route declares `rawBody`. */
  raw: Buffer
  resource: Resource
}

/**
 * One declaration of a route. Validation, authorisation, rate limits, the OpenAPI document and the typed test client
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
  /** With parameters in braces, as OpenAPI writes them. */
  path: Path
  tag: string
  summary: string
  description?: string
  access: Access & A
  /** How somebody who has no account proves to be the one that the route is for, where `access` is `anyone`. */
  proof?: Proof<Path, Proven>
  /** false where the terms need not be accepted yet (`/auth/*`). */
  terms?: boolean
  /**
   * Which of the platform's limits counts this request (docs/design.md, "The HTTP API"): `address` and `browser` count
   * by the client's address, apart from each other, so that browsers that come back from a site do not use up logins.
   */
  limit?: Limit
  query?: Query
  /** Headers of its own that the route reads: name and meaning. */
  headers?: Record<string, string>
  body?: Body
  /** The handler wants the bytes of a JSON body, and answers for what is in them itself. */
  rawBody?: { maxBytes: (services: Services) => number }
  /** Opened by people's browsers: `handle` returns a `BrowserAnswer`, and failures are pages for those who want one. */
  browser?: true
  /** Finds what the path names; throws its NOT_FOUND, also for what the caller may not see. */
  resource?: (input: Before<Path, A>) => Promise<Resource>
  status: 200 | 201 | 202 | 204 | 303
  response?: Response
  /** The same as server-sent events, for those who ask for `text/event-stream`. */
  stream?: Stream<Input<Path, A, Query, Body, Resource, Proven>>
  /** Other successes that the handler can give (with `inPlace`), by status. */
  alternatives?: Readonly<Record<number, { description: string; response: GenericSchema }>>
  /** The codes this route can answer with beyond those that follow from the declaration (see `codesOf`). */
  codes?: readonly ErrorCode[]
  handle: (
    input: Input<Path, A, Query, Body, Resource, Proven>,
  ) => Promise<Response extends GenericSchema ? unknown : Nothing>
}

const alternative = Symbol('alternative')

/** A success that takes the place of the usual one; its status is one of the route's `alternatives`. */
export interface Alternative {
  [alternative]: true
  status: number
  content: unknown
}

/** What a handler returns to answer with one of its route's `alternatives`. */
export const inPlace = (status: number, content: unknown): Alternative => ({ [alternative]: true, status, content })

export const isAlternative = (answer: unknown): answer is Alternative =>
  typeof answer === 'object' && answer !== null && alternative in answer

/** What a stream consists of: each becomes one event with `number` as its id and `kind` as its type. */
export interface StreamItem {
  number: number
  kind: string
}

/** Items that are sent together. Streams of the same thing share them, so that their text is made once for all. */
export type StreamPage = readonly StreamItem[]

/** An answer that goes on (HTML, 9.2, "Server-sent events"). */
interface Stream<Given> {
  description: string
  /** The schema of an item: the `data` of an event. */
  item: GenericSchema
  /**
   * After every check and before the stream begins: what it throws is answered like any other failure. undefined where
   * there is nothing more to come, now or later. The signal aborts when nobody reads any more.
   */
  open: (input: Given & { signal: AbortSignal }) => Promise<AsyncIterable<StreamPage> | undefined>
}

/** What a handler without a response schema returns; a browser's route may send it on. */
type Nothing = void | BrowserAnswer

/** Any route, as the code that mounts and documents them sees it. */
// oxlint-disable-next-line typescript/no-explicit-any -- routes differ in what their handlers take; only mounting calls them
export type AnyRoute = Route<string, any, any, any, any, any, any>

/** Declares a route; exists for the types it infers. */
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
