import type { ErrorCode } from '../../src/errors.ts'
import type { Services } from '../../src/services.ts'
import type { Caller } from '../../src/users/caller.ts'
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
  /** Whether the request counts for a rate: not when it is checked for a second time, once its body is there. */
  isCounted: boolean
}

/**
 * How a caller without an account proves that the route is for them. The mount makes the check, and the handler gets
 * the result of `verify`.
 */
export interface Proof<Path extends string, Proven> {
  /** What is sent as proof: OpenAPI Security Scheme Objects by name. Any one of them is enough. */
  schemes: Readonly<Record<string, object>>
  /** The codes that `verify` can fail with. */
  codes: readonly ErrorCode[]
  verify: (input: ProofInput<Path>) => Promise<Proven>
  /** For a proof that stands for an account, with which web pages may call the route as well. */
  account?: ProofOfAccount<Proven>
}

/** Whose request it is: it waits for its turn and is counted, logged and held to the terms as one of theirs. */
interface ProofOfAccount<Proven> {
  /** The header that the proof is sent in. */
  header: string
  of: (proven: Proven) => AccountOfProof
}

export interface AccountOfProof extends Pick<Caller, 'userId' | 'allowance' | 'termsAccepted'> {
  /** What the requests of this proof alone are counted by. */
  countedBy: string
}
