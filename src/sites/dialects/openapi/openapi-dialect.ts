import type { Config } from '../../../config/config.ts'
import type { SafeFetch } from '../../../safe-fetch/safe-fetch.ts'
import { longestUrl } from '../../../safe-fetch/site-url.ts'
import type { CallOutcome } from '../../../tools/call-outcome.ts'
import type { CallSite, SiteCall } from '../../../tools/call-site.ts'
import type { Adapter } from '../dialect.ts'
import { access } from './access.ts'
import { createListOperations } from './list-operations.ts'
import type { CredentialPlace, OperationRequest } from './operation.ts'
import { inPlainForm } from './read-response.ts'
import { buildRequest, operationIn } from './request/build-request.ts'
import { secretsIn, withCredential } from './request/credential.ts'

/**
 * Sites that are described by an OpenAPI document (3.0, 3.1). Their key is the address of the document, with that of
 * the server as its fragment, which is never sent.
 */
export function createOpenApiDialect(
  context: Parameters<typeof createListOperations>[0] & {
    fetch: SafeFetch
    callSite: CallSite
    config: { sites: Pick<Config['sites'], 'timeoutSeconds' | 'resultBytes'> }
  },
): Adapter {
  const { fetch, callSite, config } = context

  async function make(given: SiteCall, place: CredentialPlace): Promise<CallOutcome> {
    const operation = operationIn(given.pinned?.request)
    if (!operation) return unsent('The tool has no request. Check the site for changes.')
    const request = callSite.prepared(given, () => requestOf(given, operation, place))
    if ('problem' in request) return unsent(request.problem)
    if (request.url.length > longestUrl) return unsent(tooLong)
    const { timeoutSeconds, resultBytes: maxBytes } = config.sites
    const bounds = { timeoutMs: timeoutSeconds * 1000, maxBytes, signal: given.signal }
    const headers = { ...request.headers, accept, 'idempotency-key': given.idempotencyKey }
    const response = await fetch({ ...request, headers, ...bounds })
    return callSite.ofResponse(given, inPlainForm(response), { mayBeAnyValue: true })
  }

  return {
    isPersonal: false,
    offersChoice: true,
    list: createListOperations(context),
    access,
    takesAnyToken: (auth) => 'credential' in auth && isEncoded(auth.credential as CredentialPlace),
    call(call) {
      const place = (call.credential as CredentialPlace | undefined) ?? { scheme: 'bearer' }
      const secrets = [...(call.secrets ?? []), ...secretsIn(call.token, place)]
      return callSite.attempt(call, () => make({ ...call, secrets }, place))
    },
  }
}

function requestOf(given: SiteCall, operation: OperationRequest, place: CredentialPlace) {
  const built = buildRequest(given.serverUrl, operation, given.arguments)
  return 'problem' in built ? built : withCredential(built, given.token, place)
}

/** Servers that choose the form of their answer by this should choose one that models can read. */
const accept = 'application/json, application/*+json;q=0.9, text/plain;q=0.5, */*;q=0.1'

/** Whether a credential there is written in another alphabet. */
const isEncoded = (place: CredentialPlace): boolean =>
  'scheme' in place ? place.scheme === 'basic' : place.in === 'query'

const tooLong = `The address with the arguments and the credential would have more than ${longestUrl} characters.`

/** With the same arguments, a repeat would end in the same way. */
const unsent = (problem: string): CallOutcome => ({
  kind: 'unavailable',
  httpStatus: null,
  certain: true,
  permanent: true,
  text: `Nothing was sent. ${problem}`,
})
