/** The address of the site to connect, or the entry that was just connected. */
export interface ConnectSearch {
  url?: string | undefined
  entry?: string | undefined
}

export const readConnectSearch = ({ url, entry }: Record<string, unknown>): ConnectSearch => ({
  url: typeof url === 'string' && url !== '' ? url : undefined,
  entry: typeof entry === 'string' ? entry : undefined,
})

/**
 * What somebody typed as an address of a site: a host alone means https. A password in it is left out. Uploaded
 * documents have addresses of their own.
 */
export function siteAddress(typed: string): string {
  const address = typed.trim()
  if (address.startsWith('document:')) return address
  const whole = /^[a-z][a-z+.-]*:\/\//i.test(address) ? address : `https://${address}`
  return whole.replace(/^([a-z][a-z+.-]*:\/\/)[^/?#\\]*@/i, '$1')
}
