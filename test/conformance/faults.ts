import { errors } from '../../api/middleware/errors.ts'
import { createAgents } from '../../src/agents/agents.ts'
import { createEnding } from '../../src/chat/ending.ts'
import { errorBody, assertThat } from '../../src/errors.ts'
import { roles } from '../../src/owners/roles.ts'
import { createRateLimits } from '../../src/rate-limit.ts'
import { createCancel } from '../../src/runs/ending/cancel.ts'
import { createClaim } from '../../src/runs/queue/claim-run.ts'
import { promptInForce } from '../../src/runs/queue/prompt-in-force.ts'
import { createReading } from '../../src/runs/reading/read-runs.ts'
import { readTimeline } from '../../src/runs/reading/read-timeline.ts'
import { readHeaders } from '../../src/safe-fetch/outgoing-request.ts'
import { isOver } from '../../src/sessions/lifetime.ts'
import { manifestShape } from '../../src/sites/dialects/manifest/manifest-shape.ts'
import { createOutgoingLimit } from '../../src/tools/outgoing-limit.ts'
import { createAuthenticate } from '../../src/users/authenticate.ts'
import { neededScopes } from '../../src/vault/oauth/needed-scopes.ts'
import { createOAuthClient } from '../../src/vault/oauth/oauth-client.ts'
import { createOAuthReturn } from '../../src/vault/oauth/oauth-return.ts'
import { createRefresh } from '../../src/vault/refresh/refresh.ts'
import { assertMatches } from '../../src/webhooks/payload.ts'
import { problemOfProof } from '../../src/webhooks/proofs.ts'
import { always, calling, instead, reworded, without } from '../faults/edits.ts'
import { within, type Place } from '../faults/plant.ts'

/** A platform that does one thing wrong, and the rows of `npm run conformance` that must find it. */
export interface BrokenPlatform extends Place {
  id: string
  /** The rows that are tried; each of them must fail. */
  rows: string[]
  /** A part of what each must say, so that it has failed for the right reason. */
  evidence?: string
}

/** At most 25: one of each kind of row. */
export const brokenPlatforms: BrokenPlatform[] = [
  {
    id: 'the latest delivery goes first',
    rows: ['limits/Webhook runs in order'],
    in: createClaim,
    edit: reworded('order by r.sequence', 'order by r.sequence desc'),
  },
  {
    id: 'a refresh token is used twice',
    rows: ['oauth/Rotation'],
    in: createRefresh,
    edit: instead('refreshToken', 'LogicalExpression[left.property.name="refreshToken"]'),
  },
  {
    id: 'a token address may be plain HTTP',
    rows: ['transport/HTTPS only'],
    evidence: 'token_url of plain HTTP is accepted',
    in: manifestShape,
    edit: instead('v.string()', 'Property[key.name="token_url"] > CallExpression'),
  },
  {
    id: 'manifests need no name',
    rows: ['manifest/name'],
    evidence: 'answered 200',
    in: manifestShape,
    edit: instead("v.optional(v.string(), 'A site')", 'Property[key.name="name"] > CallExpression'),
  },
  {
    id: 'Retry-After is missing',
    rows: ['codes/RATE_LIMITED', 'limits/Response when exceeded'],
    in: errors,
    edit: without('IfStatement:has([value="Retry-After"])'),
  },
  {
    id: 'a 401 asks for nothing',
    rows: ['codes/UNAUTHORIZED', 'codes/INVALID_TOKEN'],
    in: errors,
    edit: without('IfStatement:has([value="WWW-Authenticate"])'),
  },
  {
    id: 'statusCode in the body is wrong',
    rows: ['codes/UNAUTHORIZED', 'errors/Body', 'codes/NOT_FOUND'],
    in: errorBody,
    edit: instead('400', 'Property[key.name="statusCode"] > MemberExpression'),
  },
  {
    id: 'details of a refused body are missing',
    rows: ['codes/VALIDATION_ERROR', 'codes/MANIFEST_INVALID'],
    in: errorBody,
    edit: without('SpreadElement:has([property.name="details"])'),
  },
  {
    id: 'requests are not limited',
    rows: ['codes/RATE_LIMITED', 'limits/Response when exceeded'],
    evidence: 'requests were all accepted',
    in: createRateLimits,
    edit: without('[callee.property.name="consume"]'),
  },
  {
    id: 'the webhook schema is not applied',
    rows: ['codes/WEBHOOK_PAYLOAD_INVALID', 'events/4 Schema'],
    in: assertMatches,
    edit: always(true, 'IfStatement > BinaryExpression'),
  },
  {
    id: 'an override without permission',
    rows: ['agent/Allow action override'],
    in: promptInForce,
    edit: without('IfStatement:has([property.name="allowActionOverride"])'),
  },
  {
    id: 'a wrong webhook secret is accepted',
    rows: ['codes/WEBHOOK_SECRET_INVALID', 'webhook/Failure', 'agent/Webhook secret'],
    in: problemOfProof,
    edit: always(true, 'ConditionalExpression > [callee.property.name="some"]'),
  },
  {
    id: 'the timeline lacks the payload',
    rows: ['run/Timeline', 'webhook/Payload members'],
    in: readTimeline,
    edit: instead('null', 'Property[key.name="payload"] > LogicalExpression'),
  },
  {
    id: 'a run that is over is cancelled',
    rows: ['codes/RUN_NOT_CANCELLABLE'],
    in: createCancel,
    edit: always(true, `${calling(assertThat)} > UnaryExpression`),
  },
  {
    id: 'the User-Agent says nothing',
    rows: ['tool call/User-Agent'],
    in: readHeaders,
    edit: instead("'node'", '[arguments.0.value="user-agent"] > [name="userAgent"]'),
  },
  {
    id: 'PKCE by the method plain',
    rows: ['authorize/code_challenge_method'],
    in: createOAuthClient,
    edit: instead("'plain'", '[value="S256"]'),
  },
  {
    id: 'all scopes are requested',
    rows: ['authorize/scope', 'scopes/read', 'scopes/write', 'oauth/Least scopes'],
    in: neededScopes,
    edit: always(true, 'ArrowFunctionExpression > LogicalExpression[left.name="all"]'),
  },
  {
    id: 'another browser finishes a flow',
    rows: ['authorize/Behaviour'],
    in: createOAuthReturn,
    edit: without('BinaryExpression:has([property.name="bindingHash"])'),
  },
  {
    id: 'calls to a site are not limited',
    rows: ['codes/OUTGOING_RATE_LIMITED', 'limits/Outgoing tool calls'],
    in: createOutgoingLimit,
    edit: always(true, 'IfStatement > UnaryExpression[argument.name="contended"]'),
  },
  {
    id: 'sessions never expire',
    rows: ['codes/SESSION_EXPIRED'],
    in: isOver,
    edit: without('[left.name="expiresAt"]'),
  },
  {
    id: 'a revoked JWT is accepted',
    rows: ['codes/TOKEN_REVOKED'],
    in: createAuthenticate,
    edit: without(`${calling(assertThat)}[arguments.0.left.property.name="revokedAt"][arguments.length=2]`),
  },
  {
    id: 'one agent more than the tier allows',
    rows: ['codes/AGENT_LIMIT_REACHED'],
    in: createAgents,
    edit: always(true, `${calling(assertThat)} > [left.name="count"]`),
  },
  {
    id: 'a viewer of a workspace makes agents',
    rows: ['codes/PERMISSION_DENIED'],
    in: { roles },
    edit: instead("['see', 'use', 'build']", 'Property[key.name="viewer"] > ArrayExpression'),
  },
  {
    id: 'a list has the runs of everybody',
    rows: ['owners/Lists'],
    ...within(createReading, 'list'),
    edit: without('Property[key.name="of"]'),
  },
  {
    id: 'an answer that nobody waits for fails as that of a provider',
    rows: ['codes/STREAM_ABORTED'],
    in: createEnding,
    edit: instead("'MODEL_ERROR'", 'NewExpression > [value="STREAM_ABORTED"]'),
  },
]
