import type { ProviderConfig } from '../config/models-config.ts'

const secretHeader = /auth|key|token|secret|cookie|password/i

/** The platform's credentials at its AI providers. For a header `Bearer …`, also the token alone. */
export const secretsOf = (providers: readonly ProviderConfig[]): string[] =>
  providers
    .flatMap(({ apiKey, accessKeyId, secretAccessKey, sessionToken, headers = {} }) => [
      apiKey,
      accessKeyId,
      secretAccessKey,
      sessionToken,
      ...Object.entries(headers)
        .filter(([name]) => secretHeader.test(name))
        .flatMap(([, value]) => [value, value.split(' ').at(-1)]),
    ])
    .filter((secret) => secret !== undefined)
