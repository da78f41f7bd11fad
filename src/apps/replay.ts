import type { AdapterPayload } from 'oidc-provider'
import type { SignInRecord } from './sign-in-record.ts'

/** How often a refresh token may be used before its successor is. Beyond it, the successors could not all be kept. */
const mostRepeats = 50

/**
 * Whether a use of a code or a refresh token is a replay, by what is kept of its kind and app. A code works once (RFC
 * 6749, 4.1.2). A refresh token works until a successor is used: the client of a killed process, or of a response that
 * was lost, has no other token. Two clients that renew from one token still find each other out: of the tokens with the
 * same number of predecessors, only one may be used.
 */
export function isReplay(token: SignInRecord, kept: readonly SignInRecord[]): boolean {
  if (token.kind !== 'RefreshToken') return token.consumedAt !== null
  const own = rotationsOf(token)
  const others = kept.filter(({ keyHash }) => keyHash !== token.keyHash)
  const successors = others.filter((other) => rotationsOf(other) === own + 1)
  return (
    successors.length >= mostRepeats || others.some((other) => other.consumedAt !== null && rotationsOf(other) >= own)
  )
}

/** How many tokens were renewed one after another before this one. */
const rotationsOf = ({ payload }: SignInRecord): number =>
  (JSON.parse(payload) as AdapterPayload & { rotations?: number }).rotations ?? 0
