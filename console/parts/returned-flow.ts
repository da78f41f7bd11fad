import type { Api } from '../api/client.ts'
import { shownText } from './shown-text.ts'

/** What the API takes as `returnTo`. */
const longest = 512

/** The page that is open, as the place to which the browser returns from a site. */
export function pageToReturnTo({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  const whole = pathname + search
  return whole.length > longest ? pathname : whole
}

type Flow = Pick<Api['OAuthFlow'], 'status' | 'entryId' | 'origin' | 'message'>

/** What came of signing in at a site, in a sentence. */
export function flowInWords({ status, origin, message }: Flow): { kind: 'done' | 'problem'; text: string } {
  if (status === 'connected') return { kind: 'done', text: `${origin} is connected. Runs that waited for it continue.` }
  return { kind: 'problem', text: message === null ? `${origin} was not connected. Start again.` : shownText(message) }
}
