import { quotedWords } from '../../../names.ts'
import type { OAuthSite } from '../../manifest.ts'
import type { Access } from '../dialect.ts'

/**
 * The authorization server that a document names by its endpoints (OpenAPI 3.1, 4.8.30). Its issuer is unknown, so a
 * response may name any issuer of the authorization page's origin. The redirect URI is that of both endpoints: a
 * document that names another server's page, to get a code of it, has one that this server does not know.
 */
export function access(site: OAuthSite, issuer?: string | null): Access {
  const { origin } = new URL(site.authorization_url)
  const isPlausible = issuer && URL.parse(issuer)?.origin === origin
  return {
    server: {
      issuer: isPlausible ? issuer : origin,
      authorization_endpoint: site.authorization_url,
      token_endpoint: site.token_url,
    },
    issuerInWords: `The document names ${quotedWords(site.authorization_url)} as the page where users sign in.`,
    foreign: { scopes: site.requested_scopes ?? [], identity: `${site.authorization_url} ${site.token_url}` },
  }
}
