const home = '/console/'
const here = 'https://console.invalid'
/** What the API takes as `returnTo`. */
const longest = 512

/**
 * The address to return to after signing in, if it is one of the console, so that no link leads a reader elsewhere. The
 * pages that ask for a login or for the terms are no place to return to.
 */
export function addressInside(from: string | undefined): string {
  if (from === undefined) return home
  const url = URL.parse(from, here)
  if (url?.protocol !== 'https:' || url.origin !== here || url.username !== '') return home
  const path = /^\/console(?:\/|$)/.test(url.pathname) ? url.pathname : `/console${url.pathname}`
  const address = path + url.search + url.hash
  return address.length > longest || /^\/console\/(?:sign-in|terms)\/?$/.test(path) ? home : address
}

/** The workspace of an address, whose members may have a sign-in provider of their own. */
export const workspaceIn = (address: string): string | undefined =>
  /^\/console\/w\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})(?:[/?#]|$)/i.exec(address)?.[1]
