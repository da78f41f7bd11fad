import { isObject } from '../src/json.ts'
import { failedIf, type Finding } from './check.ts'
import { isSuccess, type Outcome } from './exchange.ts'
import { oauthOf, type Site } from './site.ts'

/** Sends a form to the token address (docs/specification.md, "Token endpoint"). */
export const postForm = (site: Site, url: string, form: Record<string, string>): Promise<Outcome> =>
  site.exchange.send({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...form, client_id: clientOf(site) }).toString(),
  })

export const postToken = (site: Site, form: Record<string, string>): Promise<Outcome> =>
  postForm(site, oauthOf(site).token_url, form)

const clientOf = ({ options }: Site): string => options.oauth?.clientId ?? 'switchyard-check-unknown-client'

/** A member of a response if it is a string. */
export function textOf({ json }: Outcome, member: string): string | undefined {
  const value = isObject(json) ? json[member] : undefined
  return typeof value === 'string' && value !== '' ? value : undefined
}

/**
 * The problems of an error response of the token address (RFC 6749, 5.2). The site may report an unknown client first.
 * The same wrong response is reported once.
 */
export function refusalProblems(site: Site, outcome: Outcome, expected: string[]): string[] {
  const problem = refusalProblem(outcome, site.options.oauth ? expected : [...expected, ...unknownClient])
  const kind = `refusal ${outcome.status} ${textOf(outcome, 'error')}`
  if (problem === undefined || site.reported.has(kind)) return []
  site.reported.add(kind)
  return [`${problem} The token address ${outcome.what}`]
}

/** A spent or wrong grant must be refused with `invalid_grant`; `accepted` is the sentence if it was not. */
export const refusedGrant = (site: Site, answer: Outcome, accepted: string, expected = ['invalid_grant']): Finding =>
  failedIf(
    isSuccess(answer) ? [`${accepted} The token address ${answer.what}`] : refusalProblems(site, answer, expected),
  )

const unknownClient = ['invalid_client', 'unauthorized_client']

function refusalProblem(outcome: Outcome, expected: string[]): string | undefined {
  const error = textOf(outcome, 'error')
  if (outcome.status !== 400 && !(outcome.status === 401 && error === 'invalid_client')) return 'The status is not 400.'
  if (error === undefined) return 'The error response has no { "error": "…" }.'
  return expected.includes(error) ? undefined : `The error is ${error}, not ${expected.join(' or ')}.`
}
