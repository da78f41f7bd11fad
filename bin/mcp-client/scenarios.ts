/** A revision of the protocol, with the scenarios that a client must pass to conform to it. */
export interface RequiredScenarios {
  revision: '2025-11-25' | '2026-07-28'
  scenarios: string[]
}

const signIn = [
  'metadata-default',
  'metadata-var1',
  'metadata-var2',
  'metadata-var3',
  'basic-cimd',
  'scope-from-www-authenticate',
  'scope-from-scopes-supported',
  'scope-omitted-when-undefined',
  'scope-step-up',
  'scope-retry-limit',
  'token-endpoint-auth-basic',
  'token-endpoint-auth-post',
  'token-endpoint-auth-none',
  'pre-registration',
]

const newerSignIn = [
  'resource-mismatch',
  'offline-access-scope',
  'offline-access-not-supported',
  'authorization-server-migration',
  'iss-supported',
  'iss-not-advertised',
  'iss-supported-missing',
  'iss-wrong-issuer',
  'iss-unexpected',
  'iss-normalized',
  'metadata-issuer-mismatch',
]

const auth = (names: string[]): string[] => names.map((name) => `auth/${name}`)

/** The lists `client` of the suite's `requirements/<revision>.yaml`, which it has frozen. */
export const revisions: RequiredScenarios[] = [
  {
    revision: '2025-11-25',
    scenarios: ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry', ...auth(signIn)],
  },
  {
    revision: '2026-07-28',
    scenarios: [
      'tools_call',
      'request-metadata',
      ...auth([...signIn, ...newerSignIn]),
      'sep-2322-client-request-state',
      'http-standard-headers',
      'http-custom-headers',
      'http-invalid-tool-headers',
      'json-schema-ref-no-deref',
    ],
  },
]

const ownName =
  'The suite wants one fixed address as the client id. The platform names the address of its own metadata, and only if it is public; otherwise it registers itself.'
const noOpenQuestion =
  'Servers of this revision ask while the response to the call is open. The process that holds it would have to live as long as a person thinks, so the platform does not say that it can be asked.'

/** Scenarios that the platform does not pass, by revision and name, each with the reason. */
export const exceptions: Record<string, string> = {
  '2025-11-25 elicitation-sep1034-client-defaults': noOpenQuestion,
  '2025-11-25 auth/basic-cimd': ownName,
  '2026-07-28 auth/basic-cimd': ownName,
}
