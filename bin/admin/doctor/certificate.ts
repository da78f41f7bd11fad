import { connect } from 'node:tls'
import { isIP } from 'node:net'
import { reasonOf } from '../../../src/health/examine.ts'
import { failing, fine, warning, type Check, type Finding } from '../../../src/health/finding.ts'
import type { Outside } from './context.ts'

const day = 24 * 60 * 60 * 1000
/** A certificate is due for renewal with less time left (ms), or with less than a sixth of its lifetime. */
const usualLeft = 14 * day

/** The certificate chain of an https BASE_URL, with the authorities that Node trusts. */
export const certificate: Check<Outside> = {
  name: 'certificate',
  async look({ config, clock }) {
    const url = new URL(config.http.baseUrl)
    if (url.protocol === 'http:') return fine('The address has no certificate.')
    try {
      return judge(url, await readCertificate(url), clock.now())
    } catch (error) {
      return failing(
        `There is no TLS connection to ${url.host} (${reasonOf(error)}).`,
        'Let the name of BASE_URL lead to a TLS proxy in front of the API. See docs/operate/proxy.md.',
      )
    }
  },
}

interface Seen {
  /** Why browsers refuse it; undefined if they accept it. */
  problem: string | undefined
  from: Date
  until: Date
}

function readCertificate({ hostname, port }: URL): Promise<Seen> {
  const host = hostname.replaceAll(/[[\]]/g, '')
  return new Promise((resolve, reject) => {
    const name = isIP(host) === 0 ? { servername: host } : {}
    // The connection only reads the certificate, which may be a wrong one.
    const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, timeout: 4000, ...name })
    const end = (work: () => void) => {
      socket.destroy()
      work()
    }
    socket.once('secureConnect', () => {
      const { valid_from: from, valid_to: until } = socket.getPeerCertificate()
      // Typed as an error, but a code at run time.
      const problem = socket.authorized ? undefined : String(socket.authorizationError)
      end(() => resolve({ problem, from: new Date(from), until: new Date(until) }))
    })
    socket.once('timeout', () => end(() => reject(Object.assign(new Error('late'), { code: 'ETIMEDOUT' }))))
    socket.once('error', (error) => end(() => reject(error)))
  })
}

function judge({ host }: URL, { problem, from, until }: Seen, now: Date): Finding {
  const left = until.getTime() - now.getTime()
  const days = Math.floor(Math.abs(left) / day)
  if (left < 0) return failing(`The certificate of ${host} expired ${days} days ago.`, renew)
  if (problem !== undefined)
    return failing(
      `Browsers refuse the certificate of ${host} (${problem}).`,
      'Install a certificate for this name with its whole chain. If your own authority signed it, name it in NODE_EXTRA_CA_CERTS.',
    )
  const message = `The certificate of ${host} expires in ${days} days.`
  const least = Math.min(usualLeft, (until.getTime() - from.getTime()) / 6)
  return left < least ? warning(message, renew) : fine(message)
}

const renew = 'Renew it, and find out why that did not happen automatically.'
