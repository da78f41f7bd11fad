import { fine, warning, type Check } from '../../../src/health/finding.ts'
import type { Outside } from './context.ts'
import { isLoopback } from '../../../src/health/loopback.ts'

/** Whether TRUSTED_PROXIES agrees with BASE_URL: the API itself speaks no TLS. */
export const proxies: Check<Outside> = {
  name: 'proxies',
  async look({ config }) {
    const { baseUrl, trustedProxies: trusted } = config.http
    const { protocol, hostname } = new URL(baseUrl)
    if (protocol === 'https:' && trusted === 0)
      return warning(
        'BASE_URL is https, so a proxy is in front of the API, but TRUSTED_PROXIES is 0. All clients count as one address.',
        'Set TRUSTED_PROXIES to the number of proxies in front of the API. See docs/operate/proxy.md.',
      )
    if (protocol === 'http:' && trusted > 0 && isLoopback(hostname))
      return warning(
        `TRUSTED_PROXIES is ${trusted}, but BASE_URL leads to this machine without a proxy. Clients can claim any address.`,
        'Set TRUSTED_PROXIES to 0.',
      )
    return fine(`TRUSTED_PROXIES is ${trusted}.`)
  },
}
