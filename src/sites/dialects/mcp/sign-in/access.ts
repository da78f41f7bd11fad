import { quotedWords } from '../../../../names.ts'
import type { OAuthSite } from '../../../manifest.ts'
import type { Access } from '../../dialect.ts'

/** The authorization server of an MCP server, as its metadata was when the tools were listed. */
export function access(site: OAuthSite): Access {
  const { issuer = '', resource = '', requested_scopes: scopes = [] } = site
  return {
    server: {
      issuer,
      authorization_endpoint: site.authorization_url,
      token_endpoint: site.token_url,
      ...(site.revocation_url !== undefined && { revocation_endpoint: site.revocation_url }),
      ...(site.registration_url !== undefined && { registration_endpoint: site.registration_url }),
      ...(site.client_auth_methods && { token_endpoint_auth_methods_supported: site.client_auth_methods }),
      client_id_metadata_document_supported: site.reads_client_documents === true,
      authorization_response_iss_parameter_supported: site.sends_issuer === true,
    },
    issuerInWords: `The site's authorization server is ${quotedWords(issuer)}.`,
    foreign: { resource, identity: issuer, scopes },
  }
}
