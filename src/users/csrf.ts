import { timingSafeEqual } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { derivedToken, isToken } from '../secrets/opaque-tokens.ts'
import { secretsOfKeys } from './signing-keys.ts'

/**
 * CSRF tokens: one per login, derived from its id and an access-token key. Nothing is stored, and a reloaded page gets
 * the same token. Tokens of all listed private keys are valid, like access tokens.
 */
export function createCsrfTokens({ config }: { config: Pick<Config, 'auth'> }) {
  const secrets = secretsOfKeys(config.auth.privateKeys)
  return {
    of: (loginId: string): string => derivedToken('csrf', secrets[0]!, loginId),

    /** Whether the text is the login's token. */
    matches: (loginId: string, sent: string): boolean =>
      isToken('csrf', sent) && secrets.some((secret) => isEqual(derivedToken('csrf', secret, loginId), sent)),
  }
}

const isEqual = (one: string, other: string): boolean => timingSafeEqual(Buffer.from(one), Buffer.from(other))
