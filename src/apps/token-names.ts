import type { Provider } from 'oidc-provider'

interface Named {
  generateTokenId: (this: object) => string
}

/** Prefixes tokens like all our secrets, so that people, scanners and the log's redaction recognize them. */
export function nameTokens({ AccessToken, RefreshToken }: Provider): void {
  prefix(AccessToken.prototype as unknown as Named, 'sy_app_')
  prefix(RefreshToken.prototype as unknown as Named, 'sy_renewal_')
}

function prefix(token: Named, words: string): void {
  const { generateTokenId } = token
  token.generateTokenId = function named(this: object) {
    return `${words}${generateTokenId.call(this)}`
  }
}
