import type { ProviderConfig } from '../config/models-config.ts'

const secretHeader = /auth|key|token|secret|cookie|password/i

/** What the platform proves itself to its AI providers with. Of a header `Bearer …`, the token alone, too. */
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
