import type { SafeFetchError } from '../src/safe-fetch/safe-fetch.ts'

interface Problem {
  /** The end of a sentence about the site. */
  what: string
  /** Present if it is known. */
  fix?: string
}

const untrusted = (why: string): Problem => ({
  what: `has a certificate that is not trusted: ${why}`,
  fix: 'Install a certificate from a public authority, with its full chain. For an authority of your own, use --ca-file <file>.',
})

const noTls: Problem = {
  what: 'does not speak TLS at this port',
  fix: 'Serve HTTPS there: the platform calls no site over plain HTTP.',
}

const notPublic = (what: string): Problem => ({
  what: `has ${what} that is not on the public internet`,
  fix: 'Give the site a public address. For a site in development, use --allow <host:port>.',
})

/** What the codes of Node and OpenSSL mean. */
const byCode: Record<string, Problem> = {
  ECONNREFUSED: {
    what: 'refused the connection: nothing is listening at this host and port',
    fix: 'Start the site, and check its host and port.',
  },
  CERT_HAS_EXPIRED: { what: 'has a certificate that has expired', fix: 'Renew the certificate.' },
  CERT_NOT_YET_VALID: {
    what: 'has a certificate that is not valid yet',
    fix: 'Check the clocks of both machines and the dates of the certificate.',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    what: 'has a certificate for another host name',
    fix: 'Issue a certificate whose subjectAltName has this host name, or this IP address.',
  },
  INVALID_PURPOSE: {
    what: 'has a certificate that is not meant for servers',
    fix: 'Issue a certificate with the extended key usage serverAuth.',
  },
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted('it is self-signed'),
  SELF_SIGNED_CERT_IN_CHAIN: untrusted('its chain ends at an authority that is unknown here'),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted('its issuer is unknown, or missing from the chain'),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted('its issuer is unknown, or missing from the chain'),
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
}

const byReason: Record<string, Problem> = {
  'refused-address': notPublic('an address'),
  'refused-name': notPublic('a name that resolves to an address'),
  encoding: {
    what: 'sent a response that cannot be decompressed',
    fix: 'Compress the body as Content-Encoding says, or leave that header out.',
  },
  dns: { what: 'has a host name that cannot be resolved', fix: 'Check the spelling of the name, and its DNS records.' },
  timeout: {
    what: 'did not respond in time',
    fix: 'Look for a firewall that drops packets, and for a server that hangs.',
  },
  connect: {
    what: 'did not accept a connection',
    fix: 'Start the site, and check the host, the port and the firewall.',
  },
  reset: {
    what: 'closed the connection early, or did not respond with HTTP',
    fix: 'Look for a crash, or for a proxy that cuts connections.',
  },
}

/** The reason why a request got no response, as the end of a sentence about the site, and the fix. */
export function connectionProblem({ reason, code, message }: SafeFetchError): Problem {
  const known = byCode[code ?? ''] ?? byReason[reason]
  const problem = known ?? { what: `gave no usable response: ${message.replace(/\.$/, '')}` }
  return code === undefined ? problem : { ...problem, what: `${problem.what} (${code})` }
}
