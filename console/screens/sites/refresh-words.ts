import type { Api } from '../../api/client.ts'

type Outcome = Api['RefreshOutcome']

/** What came of a refresh. null: it is under way. */
export const refreshState = (outcome: Outcome | null): { word: string; tone: 'good' | 'bad' | 'warn' | 'busy' } =>
  outcome === null ? { word: 'under way', tone: 'busy' } : outcomes[outcome]

const outcomes = {
  refreshed: { word: 'refreshed', tone: 'good' },
  refused: { word: 'refused', tone: 'bad' },
  not_sent: { word: 'not sent', tone: 'warn' },
  failed: { word: 'failed', tone: 'warn' },
  ambiguous: { word: 'unknown', tone: 'warn' },
  abandoned: { word: 'unknown', tone: 'warn' },
} as const satisfies Record<Outcome, { word: string; tone: string }>

const causes: Record<Api['RefreshCause'], string> = {
  expiry: 'The access token was about to expire.',
  unauthorized: 'The site refused the access token.',
  keep_alive: 'The login had not been used for a long time.',
}

const meanings: Partial<Record<Outcome, string>> = {
  not_sent: 'The site could not be reached. It is tried again.',
  ambiguous: 'It is not known whether the site used up the refresh token.',
  abandoned: 'The process ended before the answer was recorded, so it is not known whether the site used up the token.',
}

type Refresh = Pick<Api['Refresh'], 'cause' | 'outcome' | 'error' | 'rotated'>

/** Why a refresh was made, and what is to be known about it. */
export const refreshInWords = ({ cause, outcome, error, rotated }: Refresh): string[] => [
  causes[cause],
  ...(error === null ? [] : [error]),
  ...(error === null && outcome !== null && outcome in meanings ? [meanings[outcome] ?? ''] : []),
  ...(rotated === true ? ['The site also issued a new refresh token.'] : []),
]

/** When the access token is refreshed. */
export function nextRefreshInWords(refreshAfter: string | null, now: number): string {
  if (refreshAfter === null) return 'It is not refreshed by its age.'
  return Date.parse(refreshAfter) <= now ? 'at the next use' : 'at the first use after'
}
