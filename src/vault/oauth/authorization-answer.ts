import * as oauth from 'oauth4webapi'
import { CodedError, problemAt } from '../../errors.ts'
import { quotedWords } from '../../names.ts'

interface Expected {
  server: oauth.AuthorizationServer
  clientId: string
  state: string
  /** The sender of the browser, as the subject of a sentence: `The site`. */
  who: string
  /** The expected issuer and who can change it, as the end of a sentence. */
  issuerInWords: string
  /**
   * Whether issuers are compared as texts, for errors too: the words of another server must not be shown (RFC 9207, 2.4).
   */
  isIssuerExact?: boolean
}

const single = ['state', 'iss', 'code', 'error', 'response'] as const

/**
 * Validates an authorization response: the state, the issuer if it is sent or promised (RFC 9207), each parameter at
 * most once, and one code. Throws the library's AuthorizationResponseError for a refusal, and VALIDATION_ERROR, which
 * names the parameter.
 */
export function checkedAnswer(sent: URLSearchParams, expected: Expected): URLSearchParams {
  const client = { client_id: expected.clientId }
  const parameters = new URLSearchParams(sent)
  for (const name of single)
    if (sent.getAll(name).length > 1) throw bad(name, `${expected.who} sent \`${name}\` more than once.`)
  const server =
    sent.get('error') && !expected.isIssuerExact ? withoutIssuer(parameters, expected.server) : expected.server
  assertIssuer(parameters, { ...expected, server })
  try {
    const checked = oauth.validateAuthResponse(server, client, parameters, expected.state)
    if (checked.get('code')) return checked
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) throw error
    // The error is not attached, because it quotes the parameters.
    throw bad('state', `${expected.who} sent an invalid authorization response.`)
  }
  throw bad('code', `${expected.who} did not send \`code\`.`)
}

/**
 * Drops the issuer of a refusal. A refusal carries no code that could be mixed up, and the user should read its reason.
 */
function withoutIssuer(parameters: URLSearchParams, server: oauth.AuthorizationServer): oauth.AuthorizationServer {
  parameters.delete('iss')
  return { ...server, authorization_response_iss_parameter_supported: false }
}

/** The library compares strings, but one address has several spellings. */
function assertIssuer(parameters: URLSearchParams, { server, who, issuerInWords, isIssuerExact }: Expected): void {
  const iss = parameters.get('iss')
  const isPromised = server.authorization_response_iss_parameter_supported === true
  if (!iss && isPromised) throw bad('iss', `${who} did not send \`iss\`. ${issuerInWords}`)
  if (!iss) return
  if (isIssuerExact ? iss !== server.issuer : !isSameIssuer(iss, server.issuer))
    throw bad('iss', `${who} sent the \`iss\` ${quotedWords(iss)}. ${issuerInWords}`)
  parameters.set('iss', server.issuer)
}

/** Compares two issuers, ignoring the case of the host and a final slash. */
export function isSameIssuer(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => URL.parse(text)?.href.replace(/\/+$/, ''))
  return first !== undefined && first === second
}

const bad = (path: string, message: string): CodedError => new CodedError('VALIDATION_ERROR', problemAt(path, message))
