import type { ErrorCode } from '../../src/errors.ts'
import type { Services } from '../../src/services.ts'
import type { Params, RequestFacts } from './request-facts.ts'

/** What a proof is made of: the request, before its body is looked into. */
export interface ProofInput<Path extends string> {
  services: Services
  params: Params<Path>
  request: RequestFacts
  /**
   * Reads the bytes of the body, for a proof that signs them; whatever their media type, which is checked later. Empty
   * where the route declares no `rawBody`.
   */
  readBody: () => Promise<Buffer>
}

/**
 * How somebody without an account proves to be the one that a route is for. `mount.ts` makes the check, and the handler
 * is given what `verify` returns.
 */
export interface Proof<Path extends string, Proven> {
  /** What is sent as proof, as OpenAPI describes it (Security Scheme Object), by name; any one of them will do. */
  schemes: Readonly<Record<string, object>>
  /** The codes that `verify` refuses with. */
  codes: readonly ErrorCode[]
  verify: (input: ProofInput<Path>) => Promise<Proven>
}
