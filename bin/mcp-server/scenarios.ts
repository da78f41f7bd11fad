import type { RequiredScenarios } from '../mcp-client/scenarios.ts'

const plain = [
  'completion-complete',
  'tools-list',
  'tools-call-simple-text',
  'tools-call-image',
  'tools-call-audio',
  'tools-call-embedded-resource',
  'tools-call-mixed-content',
  'tools-call-error',
  'tools-call-with-progress',
  'server-sse-multiple-streams',
  'resources-list',
  'resources-read-text',
  'resources-read-binary',
  'resources-templates-read',
  'prompts-list',
  'prompts-get-simple',
  'prompts-get-with-args',
  'prompts-get-embedded-resource',
  'prompts-get-with-image',
  'dns-rebinding-protection',
]

const asking = [
  'basic-elicitation',
  'basic-sampling',
  'basic-list-roots',
  'request-state',
  'multiple-input-requests',
  'multi-round',
  'missing-input-response',
  'non-tool-request',
  'result-type',
  'unsupported-methods',
  'tampered-state',
  'capability-check',
  'ignore-extra-params',
  'validate-input',
]

/** The lists `server` of the suite's `requirements/<revision>.yaml`, which it has frozen. */
export const required: RequiredScenarios[] = [
  {
    revision: '2025-11-25',
    scenarios: [
      'server-initialize',
      'logging-set-level',
      'ping',
      ...plain,
      'tools-call-with-logging',
      'tools-call-sampling',
      'tools-call-elicitation',
      'elicitation-sep1034-defaults',
      'elicitation-sep1330-enums',
      'resources-subscribe',
      'resources-unsubscribe',
    ],
  },
  {
    revision: '2026-07-28',
    scenarios: [
      'server-stateless',
      ...plain,
      'sep-2164-resource-not-found',
      'caching',
      ...asking.map((name) => `input-required-result-${name}`),
    ],
  },
]

/** Those that say something about a server with tools alone: the others call tools, resources or prompts of their own. */
export const ofPlatform: RequiredScenarios[] = [
  { revision: '2025-11-25', scenarios: ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'] },
  {
    revision: '2026-07-28',
    scenarios: [
      'server-stateless',
      'tools-list',
      'dns-rebinding-protection',
      'caching',
      'sep-2164-resource-not-found',
      'input-required-result-unsupported-methods',
    ],
  },
]

const noSession = 'The server keeps no sessions, so that any process can answer any request.'
const noQuestion =
  'Servers of this revision ask while the response to the call is open, and the answer is another request of the same session. There is none: the result of the call has the address of the approval.'
const noSubscription = `${noSession} A subscription would need one. Clients list again when a list is stale.`

const otherTools = 'It needs tools of the suite that log, ask or stream. The test server has them.'
const noStreams = `It wants a stream of changes. ${noSubscription}`
const toolsOnly = 'The platform has tools alone, and says so.'

/** What does not pass of a scenario. Its other checks must pass. */
interface Exception {
  reason: string
  /** The ids of the checks; all of them if it is absent. */
  checks?: string[]
}

/** The exceptions by server, revision and name. */
export const exceptions: Record<string, Exception> = {
  'mount 2025-11-25 server-sse-multiple-streams': { reason: noSession },
  'mount 2025-11-25 tools-call-sampling': { reason: noQuestion },
  'mount 2025-11-25 tools-call-elicitation': { reason: noQuestion },
  'mount 2025-11-25 elicitation-sep1034-defaults': { reason: noQuestion },
  'mount 2025-11-25 elicitation-sep1330-enums': { reason: noQuestion },
  'mount 2025-11-25 resources-subscribe': { reason: noSubscription },
  'mount 2025-11-25 resources-unsubscribe': { reason: noSubscription },
  '/mcp 2026-07-28 server-stateless': {
    reason: `${otherTools} ${noStreams}`,
    checks: [
      'sep-2575-server-rejects-undeclared-capability',
      'sep-2575-missing-capability-http-400',
      'sep-2575-http-server-no-independent-requests-on-stream',
      'sep-2575-server-no-log-without-loglevel',
      'sep-2575-server-sends-subscription-ack',
      'sep-2575-server-tags-subscription-id',
      'sep-2575-server-sends-tools-list-changed-on-subscription',
    ],
  },
  '/mcp 2026-07-28 caching': {
    reason: toolsOnly,
    checks: [
      'sep-2549-prompts-list-caching-hints',
      'sep-2549-resources-list-caching-hints',
      'sep-2549-resources-templates-list-caching-hints',
    ],
  },
}
