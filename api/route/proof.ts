import type { ErrorCode } from '../../src/errors.ts'
import type { Services } from '../../src/services.ts'
import type { Caller } from '../../src/users/caller.ts'
import type { Params, RequestFacts } from './request-facts.ts'

/** The request that a proof is checked against, before its body is parsed. */
export interface ProofInput<Path extends string> {
  services: Services
  params: Params<Path>
  request: RequestFacts
  /**
   * Reads the bytes of the body, for a proof that signs them. Their media type is checked later. Empty if the route
   * declares no `rawBody`.
   */
  readBody: () => Promise<Buffer>
}

/**
 * How a caller without an account authenticates. `mount` makes the check, and the handler gets the result of `verify`.
 */
export interface Proof<Path extends string, Proven> {
  /** The accepted proofs: OpenAPI Security Scheme Objects by name. Any one of them is enough. */
  schemes: Readonly<Record<string, object>>
  codes: readonly ErrorCode[]
  /** Absent only if the route has `serve`, which makes the check. */
  verify?: (input: ProofInput<Path>) => Promise<Proven>
  /** For a proof that represents an account. Web pages may then call the route as well. */
  account?: ProofOfAccount<Proven>
}

/**
 * The account behind a proof. The request is queued, counted, logged and held to the terms like any of that account.
 */
interface ProofOfAccount<Proven> {
  header: string
  of: (proven: Proven) => AccountOfProof
}

export interface AccountOfProof extends Pick<Caller, 'userId' | 'allowance' | 'termsAccepted'> {
  /** The key by which the requests with this proof alone are counted. */
  countedBy: string
}
