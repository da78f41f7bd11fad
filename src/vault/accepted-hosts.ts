import { assertThat } from '../errors.ts'

/** Refuses hosts outside the site that the owner has not accepted for the credential: VALIDATION_ERROR. */
export function assertHostsAccepted(foreignHosts: readonly string[], accepted: readonly string[]): void {
  const missing = foreignHosts.filter((host) => !accepted.includes(host))
  const details = missing.map((host) => ({
    path: 'acceptHosts',
    message: `Credentials would be sent to ${host} or requested from it.`,
  }))
  const message = `The manifest sends credentials to other hosts or requests credentials from them: ${missing.join(', ')}. If you trust these hosts, list them in "acceptHosts".`
  assertThat(missing.length === 0, 'VALIDATION_ERROR', { message, details })
}
