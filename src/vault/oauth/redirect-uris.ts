import { createHash } from 'node:crypto'
import { assertThat } from '../../errors.ts'

/**
 * The addresses that authorization servers know of the platform. Each foreign issuer has its own, so that a code of one
 * server never comes back to a sign-in at another (RFC 9700, 4.4.2). Sites that implement our protocol share one.
 */
export const createRedirectUris = (baseUrl: string) => ({
  /** Where browsers come back. `key`: of a foreign issuer. */
  redirectUri: (key: string | undefined): string =>
    `${baseUrl}/vault/oauth/callback${key === undefined ? '' : `/${key}`}`,

  /** The metadata of the client with this one redirect URI. */
  documentUrl: (key: string): string => `${baseUrl}/vault/oauth/client/${key}`,
})

/** An issuer as a part of these addresses: 132 bits of its SHA-256 in base64url. */
export const keyOfIssuer = (issuer: string): string =>
  createHash('sha256').update(issuer).digest('base64url').slice(0, 22)

/** Throws NOT_FOUND. */
export function assertIssuerKey(text: string): void {
  assertThat(/^[\w-]{22}$/.test(text), 'NOT_FOUND', { message: 'This address is not one of an authorization server.' })
}
