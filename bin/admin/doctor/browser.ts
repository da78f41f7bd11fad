import { isLoopback } from '../../../src/health/loopback.ts'
import { ask, type Answer } from './ask.ts'
import { reasonOf } from '../../../src/health/examine.ts'
import { failing, fine, warning, type Check, type Finding } from '../../../src/health/finding.ts'
import type { Outside } from './context.ts'

const fixAddress =
  'Set BASE_URL to the address that browsers use, let its name and its proxy lead to this API, and restart the API.'

/** Whether BASE_URL leads to this installation, which its signing keys show. */
export const browserAddress: Check<Outside> = {
  name: 'public address',
  needs: ['certificate'],
  async look({ config, users }) {
    const { baseUrl } = config.http
    let answer: Answer
    try {
      answer = await ask(`${baseUrl}/.well-known/jwks.json`)
    } catch (error) {
      return failing(`${unreached(reasonOf(error))} at BASE_URL ${baseUrl} (${reasonOf(error)}).`, fixAddress)
    }
    if (answer.status >= 300 && answer.status < 400)
      return failing(`BASE_URL ${baseUrl} redirects to ${originOf(answer)}.`, fixAddress)
    const theirs = keysOf(answer.body)
    if (theirs === undefined)
      return failing(
        `Something other than Switchyard answers at BASE_URL ${baseUrl}, with status ${answer.status}.`,
        fixAddress,
      )
    const own = new Set<unknown>(users.publicKeys().keys.map(({ kid }) => kid))
    return theirs.some((kid) => own.has(kid))
      ? fine(`${baseUrl} leads to this installation.`)
      : failing(
          `BASE_URL ${baseUrl} leads to another installation, or one with another JWT_PRIVATE_KEY.`,
          `${fixAddress} If the address is right, give this command the settings of the API.`,
        )
  },
}

const unreached = (reason: string): string =>
  /^(ENOTFOUND|EAI_AGAIN)$/.test(reason) ? 'There is no host' : 'Nothing answers'

const originOf = ({ headers }: Answer): string => URL.parse(headers.get('location') ?? '')?.origin ?? 'another page'

function keysOf(body: unknown): unknown[] | undefined {
  const { keys } = (body ?? {}) as { keys?: unknown }
  return Array.isArray(keys) ? keys.map((key) => (key as { kid?: unknown } | null)?.kid) : undefined
}

/**
 * Whether cookies are for the right host, and secure. Both follow from the address by which the API knows itself, which
 * it publishes (RFC 8414) and which decides about Strict-Transport-Security (RFC 6797).
 */
export const cookies: Check<Outside> = {
  name: 'cookies',
  needs: ['public address'],
  async look({ config }) {
    const { baseUrl } = config.http
    const { headers, body } = await ask(`${baseUrl}/.well-known/oauth-authorization-server`)
    const { issuer } = (body ?? {}) as { issuer?: unknown }
    if (issuer !== baseUrl)
      return failing(
        `The API at BASE_URL ${baseUrl} knows itself as ${typeof issuer === 'string' ? issuer : 'something else'}, so its cookies and links are for another address.`,
        'Start the API and this command with the same BASE_URL.',
      )
    if (baseUrl.startsWith('https:') && !headers.has('strict-transport-security'))
      return warning(
        'The proxy removes the Strict-Transport-Security header.',
        'Let the proxy pass the headers of the API unchanged. See docs/operate/proxy.md.',
      )
    return fine(
      baseUrl.startsWith('https:') ? 'Cookies are secure, and for this host.' : 'Cookies are for this host, over http.',
    )
  },
}

/** Whether a browser that is given no scheme arrives at https. */
export const redirect: Check<Outside> = {
  name: 'https',
  needs: ['certificate'],
  async look({ config }) {
    const { protocol, hostname, port } = new URL(config.http.baseUrl)
    if (protocol === 'http:') return overHttp(hostname)
    if (port !== '') return fine('The address has a port of its own.')
    const answer = await ask(`http://${hostname}/`).catch(() => undefined)
    if (answer === undefined) return fine('Nothing answers over http.')
    const location = answer.headers.get('location') ?? ''
    return answer.status >= 300 && answer.status < 400 && location.startsWith('https:')
      ? fine('http leads to https.')
      : warning(
          `http://${hostname}/ answers with status ${answer.status}, so passwords can travel unencrypted.`,
          'Have the proxy redirect http to https.',
        )
  },
}

const overHttp = (hostname: string): Finding =>
  isLoopback(hostname)
    ? fine('Browsers on this machine need no https.')
    : warning(
        'BASE_URL begins with http, so passwords and tokens travel unencrypted, and cookies are not secure.',
        'Put a TLS proxy in front of the API, and set BASE_URL to its https address. See docs/operate/proxy.md.',
      )
