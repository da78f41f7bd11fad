import type { Blow, Evidence, TokenRequest } from '../evidence.ts'
import type { RefreshRow } from '../rows.ts'

/**
 * A site that rotates its refresh tokens uses one up before anybody has its answer. Such a token is sent again if its
 * answer never came, and then the connection is lost to everyone. Anything else is a fault: a token that is sent again
 * although its answer was recorded, and a connection that ends although its token was never used up.
 */
export function findLostGrants(evidence: Evidence): string[] {
  const asked = evidence.tokenRequests.filter(({ grantType }) => grantType === 'refresh_token')
  const reused = asked.filter(({ consumedBefore }) => consumedBefore)
  return [
    ...reused
      .filter((request) => !wasUnheard(consumerOf(request, asked), evidence))
      .map(({ at }) => `a refresh token that was used up came again at ${new Date(at).toISOString()}`),
    ...evidence.lostGrants
      .filter((grant) => !reused.some((request) => belongsTo(request, grant, evidence.refreshes)))
      .map(
        ({ entryId, generation }) => `the connection ${entryId} ended with ${generation}, whose token was not used up`,
      ),
  ]
}

/** The request that has used the token up: the one that was granted, or else the first. */
function consumerOf({ refreshToken }: TokenRequest, asked: TokenRequest[]): TokenRequest | undefined {
  const own = asked.filter((one) => one.refreshToken === refreshToken && !one.consumedBefore)
  return own.find(({ status }) => status === 200) ?? own[0]
}

/** The site saw its connection break, or a blow fell between its answer and the record, which says so, too. */
function wasUnheard(request: TokenRequest | undefined, { refreshes, blows }: Evidence): boolean {
  if (!request) return false
  if (request.status === null) return true
  const refresh = refreshes.findLast((one) => covers(one, request))
  const until = refresh?.endedAt ?? Infinity
  return isInDoubt(refresh) && blows.some((blow) => mayCutOff(blow) && blow.from <= until && blow.until >= request.at)
}

const isInDoubt = (refresh: RefreshRow | undefined): boolean =>
  refresh !== undefined && [null, 'ambiguous', 'abandoned'].includes(refresh.outcome)

const mayCutOff = ({ kind, name, site }: Blow): boolean =>
  site === 'contacts' || (/^(api|worker)/.test(name) && (kind === 'kill' || kind === 'freeze'))

const covers = ({ startedAt, endedAt }: RefreshRow, { at }: TokenRequest): boolean =>
  Math.floor(startedAt) <= at && at <= (endedAt ?? Infinity)

const belongsTo = (
  request: TokenRequest,
  { entryId, generation }: Evidence['lostGrants'][number],
  refreshes: RefreshRow[],
): boolean => refreshes.some((one) => one.entryId === entryId && one.generation === generation && covers(one, request))
