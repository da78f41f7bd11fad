import { assertThat } from '../errors.ts'

/** Refuses to send a credential to hosts outside the site that its owner was not asked about: VALIDATION_ERROR. */
export function assertHostsAccepted(foreignHosts: readonly string[], accepted: readonly string[]): void {
  const missing = foreignHosts.filter((host) => !accepted.includes(host))
  const details = missing.map((host) => ({
    path: 'acceptHosts',
    message: `Credentials would be sent to ${host}, or asked for there.`,
  }))
  const message = `The manifest has credentials sent to, or asked for at, hosts outside the site: ${missing.join(', ')}. If you trust them, list them in "acceptHosts".`
  assertThat(missing.length === 0, 'VALIDATION_ERROR', { message, details })
}
