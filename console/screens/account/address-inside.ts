const home = '/console/'

/** The address to return to after signing in, if it is one of the console, so that no link leads a reader elsewhere. */
export function addressInside(from: string | undefined): string {
  if (from === undefined) return home
  const url = URL.parse(from, 'https://console.invalid')
  if (url?.origin !== 'https://console.invalid') return home
  const path = url.pathname.startsWith(home) ? url.pathname : `/console${url.pathname}`
  return path + url.search
}
