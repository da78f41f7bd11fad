/**
 * Reasons by error code, or by error name without a code. If one side uses `http` and the other `https`, both see only
 * unknown bytes.
 */
const reasons: [RegExp, (url: URL) => string][] = [
  [/^ECONNREFUSED$/, ({ origin }) => `nothing listens at ${origin}`],
  [/^(ENOTFOUND|EAI_AGAIN)$/, ({ hostname }) => `${hostname} has no address`],
  [/^(EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, ({ origin }) => `${origin} cannot be reached`],
  [
    /^(CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|ERR_TLS_CERT)/,
    ({ origin }) => `the certificate of ${origin} is not trusted (${ofAuthority})`,
  ],
  [/^(ERR_SSL_|EPROTO)/, ({ host }) => `what listens at ${host} does not speak TLS; perhaps it is http://${host}`],
  [/^UND_ERR_RES_EXCEEDED_MAX_SIZE$/, () => 'its body is too long'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, (url) => `the connection was closed${perhapsTls(url)}`],
  [/^(HPE_|HTTPParserError$)/, (url) => `what came is not HTTP${perhapsTls(url)}`],
]

const ofAuthority = 'NODE_EXTRA_CA_CERTS names a file of authorities to trust'

const perhapsTls = ({ protocol, host }: URL): string => (protocol === 'http:' ? `; perhaps it is https://${host}` : '')

/** The reason for a missing response. The errors' own messages are not used, because they quote whole addresses. */
export function whyUnanswered(error: unknown, url: URL, seconds: number): string {
  const chain = causes(error)
  if (chain.some(({ name }) => name === 'TimeoutError')) return `it took longer than ${seconds} s`
  if (chain.some(({ message }) => message === 'bad port')) return `fetch asks no server at port ${url.port}`
  // Aborted requests have numeric codes.
  const codes = chain.map(({ code, name }) => (typeof code === 'string' ? code : name))
  for (const [pattern, words] of reasons) if (codes.some((code) => pattern.test(code))) return words(url)
  return codes.at(-1) ?? 'of an unknown reason'
}

const causes = (error: unknown): NodeJS.ErrnoException[] =>
  error instanceof Error ? [error, ...causes(error.cause)] : []
