import type { ErrorCode } from '../../src/errors.ts'
import type { Services } from '../../src/services.ts'
import type { Params, RequestFacts } from './request-facts.ts'

/** What a proof is checked against: the request, before its body is parsed. */
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
 * How a caller without an account proves that the route is for them. `mount.ts` makes the check, and the handler gets
 * the result of `verify`.
 */
export interface Proof<Path extends string, Proven> {
  /** What is sent as proof: OpenAPI Security Scheme Objects by name. Any one of them is enough. */
  schemes: Readonly<Record<string, object>>
  /** The codes that `verify` can fail with. */
  codes: readonly ErrorCode[]
  verify: (input: ProofInput<Path>) => Promise<Proven>
}
