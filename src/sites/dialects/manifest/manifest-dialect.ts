import type { Config } from '../../../config/config.ts'
import { quotedWords } from '../../../names.ts'
import { parseSiteUrl } from '../../../safe-fetch/site-url.ts'
import type { CallSite, SiteCall } from '../../../tools/call-site.ts'
import type { OAuthSite } from '../../manifest.ts'
import type { Adapter } from '../dialect.ts'
import { createFetchManifest } from './fetch-manifest.ts'

/** Sites that publish a toolsite.json (docs/specification.md, "Manifest"). Their key is the origin. */
export function createManifestDialect(
  context: Parameters<typeof createFetchManifest>[0] & {
    callSite: CallSite
    config: { sites: Pick<Config['sites'], 'timeoutSeconds' | 'resultBytes'> }
  },
): Adapter {
  const { fetch, callSite, config } = context
  const fetchManifest = createFetchManifest(context)
  return {
    isPersonal: false,
    offersChoice: false,
    async list(address, party) {
      const { origin } = parseSiteUrl(address)
      return { origin, manifest: await fetchManifest(origin, party) }
    },
    call: (call) =>
      callSite.attempt(call, async () => {
        const { timeoutSeconds, resultBytes: maxBytes } = config.sites
        const bounds = { timeoutMs: timeoutSeconds * 1000, maxBytes, signal: call.signal }
        return callSite.ofResponse(call, await fetch({ ...toRequest(call), ...bounds }))
      }),
    access: (site, issuer) => ({ server: serverOf(site, issuer), issuerInWords: issuerInWords(site) }),
  }
}

const toRequest = (call: SiteCall) => ({
  url: `${call.serverUrl.replace(/\/+$/, '')}/tools/${encodeURIComponent(call.tool)}`,
  method: 'POST' as const,
  headers: {
    authorization: `Bearer ${call.token}`,
    'content-type': 'application/json',
    accept: 'application/json',
    'idempotency-key': call.idempotencyKey,
  },
  body: call.arguments,
})

const issuerInWords = ({ issuer, authorization_url: url }: OAuthSite): string =>
  issuer === undefined
    ? `Its manifest declares no \`issuer\`, so \`iss\` must have the origin ${new URL(url).origin}. The site owner can declare an \`issuer\`.`
    : `Its manifest declares the \`issuer\` ${quotedWords(issuer)}. The site owner must make the two match.`

/**
 * The site as an authorization server. A site that declares its issuer must send it (RFC 9207, 2.4). An undeclared
 * issuer must have the origin of the authorization address; any other is a mix-up attack.
 */
function serverOf(site: OAuthSite, sent: string | null | undefined) {
  const { origin } = new URL(site.authorization_url)
  const plausible = sent && URL.parse(sent)?.origin === origin ? sent : origin
  return {
    issuer: site.issuer ?? plausible,
    authorization_endpoint: site.authorization_url,
    token_endpoint: site.token_url,
    ...(site.revocation_url && { revocation_endpoint: site.revocation_url }),
    authorization_response_iss_parameter_supported: site.issuer !== undefined,
  }
}
