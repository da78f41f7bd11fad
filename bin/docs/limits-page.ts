import { sendChatMessage } from '../../api/chat.ts'
import { mostAgents } from '../../api/mcp/agent-tools.ts'
import { mostSites } from '../../api/mcp/site-tools.ts'
import { longestWaitMs } from '../../api/mcp/waiting.ts'
import { maxParameters, maxQuery } from '../../api/middleware/sizes.ts'
import { mostValues } from '../../api/route/body.ts'
import { maxText } from '../../api/schemas/chat-schema.ts'
import { maxHeaderBytes } from '../../api/server.ts'
import { mostBytes, mostVersions } from '../../src/agents/versions.ts'
import { mostApps } from '../../src/apps/app-requests.ts'
import { maxClientBytes } from '../../src/apps/check-client.ts'
import { limitNames, tierNames, tierOf, type Limits } from '../../src/billing/tiers.ts'
import { maxPerHost } from '../../src/callbacks/attempt-turns.ts'
import { maxNumber, maxOpen } from '../../src/chat/accept.ts'
import { mostTakeovers } from '../../src/chat/lost-answers.ts'
import { maxDocumentBytes, mostDocuments } from '../../src/documents/documents.ts'
import { longestValue, mostFields, mostForms, mostQuestions } from '../../src/forms/form.ts'
import { maxResultBytes } from '../../src/models/prompt.ts'
import { mailsADay } from '../../src/notifications/notifications.ts'
import { inspectionsAMinute, registrationsAnHour } from '../../src/rate-limit.ts'
import { mostEnded } from '../../src/runs/ending/cancel-several.ts'
import { mostFailures, mostGroups } from '../../src/runs/reading/run-failures.ts'
import { mostLiving } from '../../src/sessions/create-session.ts'
import { mostWords } from '../../src/sites/offered-tools.ts'
import { maxTools } from '../../src/sites/tool.ts'
import { longest, shortest } from '../../src/users/passwords.ts'
import { bytes, count, defaultOf } from './format-limits.ts'
import { pageOf, table } from './table.ts'

type Row = [limit: string, value: string, setting: string]

const set = (limit: string, setting: string): Row => [limit, defaultOf(setting), `\`${setting}\``]

const fixed = (limit: string, value: string): Row => [limit, value, '']

const requests = (): Row[] => [
  set('Requests per user or API key, per minute', 'RATE_LIMIT_PER_MINUTE'),
  set('Requests to `/auth` per client address, per minute', 'RATE_LIMIT_AUTH_PER_MINUTE'),
  set('Documentation, OAuth and sign-in pages per client address, per minute', 'RATE_LIMIT_BROWSER_PER_MINUTE'),
  set('Sign-ins and audited changes per account, per minute', 'RATE_LIMIT_CHANGES_PER_MINUTE'),
  set('Sign-ins and audited changes per account, per day', 'RATE_LIMIT_CHANGES_PER_DAY'),
  set('Wrong passwords and codes per account, per hour', 'RATE_LIMIT_TRIES_PER_HOUR'),
  set('Password reset requests per client address, per hour', 'RATE_LIMIT_RECOVERY_PER_HOUR'),
  set('Webhook deliveries per agent, per minute', 'RATE_LIMIT_WEBHOOK_PER_MINUTE'),
  set(
    'Webhook deliveries with an invalid proof per client address, per minute',
    'RATE_LIMIT_WEBHOOK_FAILED_PER_MINUTE',
  ),
  set('Client connections per API process', 'CONNECTION_LIMIT'),
  set('Open streams per API process', 'STREAM_LIMIT'),
  fixed('Sites whose tools an MCP client is offered, the newest', count(mostSites)),
  fixed('Agents that an MCP client is offered, the newest', count(mostAgents)),
  fixed('Apps (MCP clients that signed in) that a user may connect', count(mostApps)),
  fixed('Clients that register themselves per address, per hour', count(registrationsAnHour)),
  fixed('Metadata of a client that signs in', bytes(maxClientBytes)),
  fixed('Seconds that an MCP client waits for a run or a call', count(longestWaitMs / 1000)),
]

const sizes = (): Row[] => [
  set('Webhook payload or run input', 'WEBHOOK_BODY_BYTES'),
  fixed('Chat request', bytes(sendChatMessage.rawBody?.maxBytes({} as never) ?? 0)),
  fixed('Characters in a chat message', count(maxText)),
  set('Request of an MCP client', 'WEBHOOK_BODY_BYTES'),
  set('Other request bodies', 'BODY_BYTES'),
  fixed('Values in a JSON body', count(mostValues)),
  fixed('Request headers in total', bytes(maxHeaderBytes)),
  fixed('Characters in a query', count(maxQuery)),
  fixed('Parameters in a query', count(maxParameters)),
  fixed('Characters in a password', `${shortest} to ${longest}`),
]

const runs = (): Row[] => [
  fixed('Versions kept per agent', `${count(mostVersions)}, or ${bytes(mostBytes)} of fields`),
  set('Unfinished runs per agent', 'QUEUE_DEPTH'),
  set('Model calls per run', 'RUN_STEPS'),
  set('Tool calls per run', 'RUN_TOOL_CALLS'),
  set('Tokens per run', 'RUN_TOKENS'),
  set('Credits per run', 'RUN_CREDITS'),
  set('Duration of a run, not counting time spent waiting', 'RUN_MINUTES'),
  set('Total waiting time of a run', 'RUN_WAIT_SECONDS'),
  set('Waiting time of a queued run that its owner cannot pay for', 'QUEUE_BLOCKED_SECONDS'),
  set('Duration of a model call', 'MODEL_TIMEOUT_SECONDS'),
  set('Delay after which a scheduled run counts as missed', 'SCHEDULE_CATCH_UP_SECONDS'),
  set('Duration of one attempt to post a callback', 'CALLBACK_TIMEOUT_SECONDS'),
  set('Period during which a callback is retried', 'CALLBACK_HOURS'),
  fixed('Callbacks in progress per owner and host, in one worker', count(maxPerHost)),
  set('Model calls in progress per owner, in one worker', 'WORKER_ACTIVITIES'),
  set('Tool calls in progress per owner, in one worker', 'WORKER_ACTIVITIES'),
  fixed('Runs that one request cancels or skips', count(mostEnded)),
  fixed('Failed runs that one request groups by cause', count(mostFailures)),
  fixed('Groups of failures in one response', count(mostGroups)),
]

const sites = (): Row[] => [
  set('Tool calls per host, per minute', 'OUTGOING_PER_MINUTE'),
  set('Longest `Retry-After` that is honored', 'OUTGOING_HOLD_MINUTES'),
  set('Duration of a tool call', 'SITE_TIMEOUT_SECONDS'),
  set('Size of a tool result', 'TOOL_RESULT_BYTES'),
  fixed('Part of a tool result that the model sees', bytes(maxResultBytes)),
  fixed('Sites that a user may inspect, per minute', count(inspectionsAMinute)),
  fixed('Different words of a search in what a site offers', count(mostWords)),
  fixed('Size of an uploaded OpenAPI document', bytes(maxDocumentBytes)),
  fixed('Uploaded OpenAPI documents of one owner', count(mostDocuments)),
  fixed('Times that a tool may ask a person in one call', count(mostForms)),
  fixed('Questions at one time', count(mostQuestions)),
  fixed('Fields of the form with these questions', count(mostFields)),
  fixed('Text that a person may enter into a field, in characters', count(longestValue)),
  set('Size of a manifest', 'MANIFEST_BYTES'),
  fixed('Tools in a manifest', count(maxTools)),
  set('Time to fetch a manifest', 'MANIFEST_TIMEOUT_SECONDS'),
  set("Duration of a request to a site's token address", 'TOKEN_TIMEOUT_SECONDS'),
]

const chats = (): Row[] => [
  set('Lifetime of a session', 'SESSION_HOURS'),
  set('Lifetime of an unused session', 'SESSION_IDLE_MINUTES'),
  fixed('Sessions per account', count(mostLiving)),
  fixed('Messages and answers per session', count(maxNumber)),
  fixed('Answers per session that are waiting or in progress', count(maxOpen)),
  fixed('Takeovers of an answer by other processes', count(mostTakeovers)),
  set('Duration of an answer', 'CHAT_TIMEOUT_SECONDS'),
  set('Model calls per answer', 'RUN_STEPS'),
  set('Tool calls per answer', 'RUN_TOOL_CALLS'),
]

const kept = (): Row[] => [
  set('Ended runs, direct tool calls and chat sessions', 'RUN_RETENTION_DAYS'),
  set('Audit log entries', 'AUDIT_DAYS'),
  set('Period during which a deleted account can be restored', 'ACCOUNT_GRACE_DAYS'),
]

const heads = ['Limit', 'Default', 'Setting']

/** docs/reference/limits.md. */
export const limitsPage = (): string =>
  pageOf(
    '# Limits',
    "This page lists an installation's limits and their defaults. An operator changes a limit with the [setting](settings.md) next to it. A limit without a setting is fixed.",
    'A request over a rate limit fails with `RATE_LIMITED`, and `Retry-After` says how many seconds to wait. [Read lists and respect limits](../how-to/lists-and-limits.md) shows how.',
    ...[
      ['Requests', requests()] as const,
      ['Sizes', sizes()] as const,
      ['Runs', runs()] as const,
      ['Sites', sites()] as const,
      ['Chat', chats()] as const,
      ['Retention', kept()] as const,
    ].flatMap(([title, rows]) => [`## ${title}`, table(heads, rows)]),
    `An account gets at most ${count(mailsADay)} emails a day for each kind of notification.`,
    '## Accounts',
    "With payments, an account's tier sets these limits. Without payments, the operator sets them for all accounts.",
    table(['Limit', ...tierNames, 'Without payments', 'Setting'], limitNames.map(accountRow)),
  )

/** For each limit of an account: its name, its format and its setting. */
const ofAccount: Record<keyof Limits, [name: string, write: (value: number) => string, setting: string]> = {
  agents: ['Agents', count, 'LIMIT_AGENTS'],
  vaultSites: ['Connected sites', count, 'LIMIT_VAULT_SITES'],
  apiKeys: ['API keys', count, 'LIMIT_API_KEYS'],
  workspaces: ['Workspaces', count, 'LIMIT_WORKSPACES'],
  workspaceMembers: ['Members per workspace', count, 'LIMIT_WORKSPACE_MEMBERS'],
  requestsPerMinute: ['Requests per minute', count, 'LIMIT_REQUESTS_PER_MINUTE'],
  openStreams: ['Open streams per API process', count, 'LIMIT_OPEN_STREAMS'],
  deliveriesPerMinute: ['Webhook deliveries per minute', count, 'LIMIT_DELIVERIES_PER_MINUTE'],
  inputBytesPerMinute: ['Payloads and inputs per minute', bytes, 'LIMIT_INPUT_BYTES_PER_MINUTE'],
  storedBytes: ['Stored payloads and tool results', bytes, 'LIMIT_STORED_BYTES'],
  tokensPerMonth: ['Model tokens per calendar month (UTC)', count, 'LIMIT_TOKENS_PER_MONTH'],
}

function accountRow(limit: keyof Limits): string[] {
  const [name, write, setting] = ofAccount[limit]
  return [name, ...tierNames.map((tier) => write(tierOf(tier).limits[limit])), defaultOf(setting), `\`${setting}\``]
}
