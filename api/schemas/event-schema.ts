import * as v from 'valibot'
import type { EventData } from '../../src/runs/timeline.ts'
import { webhookField } from './agent-schema.ts'
import { anyJson, documentedBy, field, freeObject, named, whole } from './documented.ts'
import { endedStatus, endReason, waitCause } from './run-schema.ts'
import { errorCode, id, time, trigger } from './schemas.ts'
import { effect } from './vault-schema.ts'

type Kind = keyof EventData

const note = v.optional(field(v.string(), 'What was unusual, for people', 'The answer to the attempt before was lost.'))
const ofStep = {
  step: field(whole, 'The number of the step, from 1', 1),
  attempt: field(whole, 'The number of the attempt, from 1', 1),
}
const callId = field(v.string(), 'The tool call', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a12')
const site = field(v.string(), 'The origin of the site', 'https://tracker.example.com')
/** What is shown of a call wherever it is the subject. */
const ofCall = {
  callId,
  step: ofStep.step,
  tool: field(v.string(), 'The name of the tool', 'issues.createIssue'),
  site: field(
    v.nullable(v.string()),
    'The origin of the site; null if no site has the tool',
    'https://tracker.example.com',
  ),
  effect,
  arguments: field(anyJson, 'The arguments. A string if the model did not write a JSON object', {
    title: 'The export hangs at 99 %',
  }),
  idempotencyKey: field(
    v.string(),
    'What the site gets as `Idempotency-Key`, the same at every attempt',
    '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10:2:0',
  ),
}
const approvalId = field(v.string(), 'The approval', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a18')
const attempt = field(whole, 'The number of the attempt, from 1', 1)
const requestedCall = named(
  'RequestedCall',
  v.object({ callId, name: field(v.string(), 'The tool, as the model named it', 'issues_createIssue') }),
  'A tool call that the model asked for',
)
export const payload = freeObject('Payload', 'What a sender posted', { event: 'post.created', post_id: 4711 })

const keptHeaders = freeObject('KeptHeaders', 'Headers of the sender by name, as far as the platform keeps them', {
  'x-github-event': 'issues',
})
const missingSite = named(
  'MissingSite',
  v.object({
    name: field(v.string(), 'The name of the site', 'Tracker'),
    origin: field(v.string(), 'The origin of the site', 'https://tracker.example.com'),
    reason: field(v.string(), 'Why the run lacks it', 'removed'),
    tools: v.optional(field(v.array(v.string()), 'The tools that it lacks; absent if all are', ['search_issues'])),
  }),
  'A site that an agent names and a run could not use, or not with all its tools',
)

/** The data of each kind. Objects are loose: what a test finds undeclared is served all the same. */
const data = {
  accepted: v.looseObject({
    trigger,
    sequence: field(whole, "Its position in the agent's order of arrival, from 1", 1),
    ahead: field(whole, 'Unfinished runs in front of this one', 0),
    replayOf: v.optional(field(id, 'The run that it replays')),
    payload: field(
      v.nullable(v.union([payload, v.string()])),
      'What the sender posted, or the input of a manual run; null if there is none',
    ),
    headers: v.optional(field(keptHeaders, 'What the sender said in headers')),
  }),
  started: v.looseObject({
    epoch: field(whole, 'How many executions were begun for the run', 1),
    override: named(
      'PromptOverride',
      v.picklist(['used', 'not-allowed', 'absent']),
      "Whether the payload's `action` replaced the prompt, or why it did not",
      'absent',
    ),
    systemPrompt: v.optional(field(v.string(), 'What the agent was told', 'File an issue for every bug.')),
    webhookSchema: v.optional(field(v.nullable(v.array(webhookField)), 'What it was told of the payload', null)),
  }),
  recovered: v.looseObject({
    epoch: field(whole, 'How many executions were begun for the run', 2),
    step: field(whole, 'The last step that is recorded', 1),
    note: field(v.string(), 'Why another execution was begun', 'The execution had made no progress.'),
  }),
  'step.started': v.looseObject({ ...ofStep, note }),
  'step.failed': v.looseObject({
    ...ofStep,
    code: field(errorCode, 'What went wrong', 'MODEL_ERROR'),
    message: field(v.string(), 'What went wrong, for people', 'The AI provider returned an error.'),
    willRetry: field(v.boolean(), 'Whether there is another attempt'),
    retryAt: v.optional(field(v.string(), 'When the provider allows it', '2026-11-21T09:00:30.000Z')),
    model: field(v.string(), 'The model that was asked', 'demo'),
    inputTokens: v.optional(field(whole, 'Tokens that the model read, if the provider billed them', 610)),
    outputTokens: v.optional(field(whole, 'Tokens that the model wrote, if the provider billed them', 71)),
    cachedTokens: v.optional(field(whole, 'How many of the tokens that it read came from its cache', 512)),
    credits: v.optional(field(whole, 'What the attempt cost, if the provider billed it', 1)),
    costUsd: v.optional(field(v.nullable(v.number()), 'The same in USD; null if no price is known', 0.0041)),
  }),
  'step.finished': v.looseObject({
    ...ofStep,
    model: field(v.string(), 'The model that answered', 'demo'),
    text: field(v.string(), 'What it answered', 'I call issues_createIssue.'),
    finish: named(
      'Finish',
      v.picklist(['stop', 'tool-calls', 'length', 'content-filter', 'other']),
      'Why the model ended its answer',
      'tool-calls',
    ),
    endWord: v.optional(field(v.string(), "The provider's own word for that, if it is an unusual one", 'eos_token')),
    inputTokens: field(whole, 'Tokens that the model read', 610),
    outputTokens: field(whole, 'Tokens that the model wrote', 71),
    cachedTokens: field(whole, 'The part of them that the provider had in its cache', 512),
    credits: field(whole, 'What the step cost', 1),
    costUsd: field(v.nullable(v.number()), 'What the step cost, in USD; null if no price is known', 0.0012),
    latencyMs: field(v.number(), 'How long the model took, in milliseconds', 840),
    calls: field(v.array(requestedCall), 'The tool calls that it asked for'),
    missingSites: v.optional(field(v.array(missingSite), 'The sites of its agent that it lacked')),
    outcome: v.optional(
      named(
        'StepOutcome',
        v.picklist(['empty', 'truncated', 'refused', 'off_schema', 'summary']),
        'Why the answer did not count; `summary` if it is a summary of earlier steps',
        'truncated',
      ),
    ),
    remark: v.optional(
      field(v.string(), 'What the model was told about it', '"issue" is of the type "string", expected "integer"'),
    ),
    output: v.optional(
      field(anyJson, "The answer as a value that fits the agent's `outputSchema`; only in the last step", {
        issue: 4711,
      }),
    ),
  }),
  'context.fitted': v.looseObject({
    step: ofStep.step,
    shortenedThrough: field(whole, 'Up to which step the model sees long results shortened; 0 for none', 12),
    leftOutThrough: field(whole, 'Up to which step the model sees nothing; 0 for none', 0),
    tokensBefore: field(whole, 'How long the prompt would have been, as estimated', 118_000),
    tokensAfter: field(whole, 'How long it is now, as estimated', 71_000),
    contextTokens: field(whole, "The size of the model's context window", 128_000),
    note: field(v.string(), 'What was done, for people', "The run no longer fits in the model's context window."),
  }),
  'model.changed': v.looseObject({
    step: ofStep.step,
    from: field(v.string(), 'The model that was asked so far', 'gpt-5-mini'),
    to: field(v.string(), 'The model that is asked from this step on', 'claude-sonnet-5'),
    note: field(v.string(), 'Why, for people', 'The model failed.'),
  }),
  'tool.started': v.looseObject({ ...ofCall, attempt, note }),
  'tool.failed': v.looseObject({
    ...ofCall,
    attempt,
    message: field(v.string(), 'What went wrong', 'The site answered 503.'),
    willRetry: field(v.literal(true), 'There is another attempt; the last one is `tool.finished`'),
  }),
  'tool.finished': v.looseObject({
    ...ofCall,
    attempts: field(whole, 'How many attempts there were', 1),
    status: named(
      'ToolCallOutcome',
      v.picklist(['succeeded', 'failed', 'unknown']),
      'unknown: the site may have acted, and its answer was lost',
    ),
    note,
    siteStatus: field(v.nullable(whole), 'The HTTP status with which the site answered', 200),
    result: v.optional(field(anyJson, 'The result, as the model sees it. A sentence if the call failed', { id: 4711 })),
  }),
  'approval.requested': v.looseObject({
    ...ofCall,
    approvalId,
    expiresAt: field(v.string(), 'Until when it can be decided', '2026-11-22T09:00:00.000Z'),
  }),
  'approval.decided': v.looseObject({
    callId,
    approvalId,
    status: named(
      'ApprovalDecision',
      v.picklist(['approved', 'refused', 'expired']),
      'expired: nobody decided in time',
      'approved',
    ),
    note: v.optional(field(v.string(), 'What was said about it', 'Ask the customer first.')),
  }),
  'credential.refreshed': v.looseObject({ callId, site }),
  'wait.started': v.looseObject({
    cause: waitCause,
    site: field(v.nullable(v.string()), 'The site that it waits for', 'https://tracker.example.com'),
    model: v.optional(field(v.string(), 'The model that it waits for', 'gpt-5')),
    until: field(
      v.string(),
      'When it looks again, or goes on without an approval; if it waits for credits or for a site to be reconnected, when it fails',
      '2026-11-21T09:01:00.000Z',
    ),
    calls: field(whole, 'How many tool calls wait', 1),
    note: field(v.string(), 'What it waits for, for people', 'The site takes a limited number of calls.'),
  }),
  'wait.ended': v.looseObject({
    cause: waitCause,
    ms: field(v.number(), 'How long it waited, in milliseconds', 31_020),
  }),
  'cancel.requested': v.looseObject({
    by: named(
      'CancelRequester',
      v.picklist(['owner', 'operator', 'sender', 'deletion']),
      'Who asked for the end of the run',
    ),
  }),
  ended: v.looseObject({
    status: endedStatus,
    reason: field(v.nullable(endReason), 'Why it ended without finishing', null),
    message: field(v.nullable(v.string()), 'The reason as a sentence', null),
  }),
} satisfies Record<Kind, v.GenericSchema>

/** `tsc` fails here with the names of what the record says of a kind, and this file does not. */
type Undeclared = { [K in Kind]: Exclude<keyof EventData[K], keyof (typeof data)[K]['entries']> }[Kind]
/** @public Only the compiler reads it. */
export const undeclared: Undeclared[] = [] satisfies never[]

const meanings = {
  accepted: 'The run was accepted',
  started: 'The run left the queue',
  recovered: 'The run continues under another execution, because the one before made no progress',
  'step.started': 'The model was asked',
  'step.failed': 'The model did not answer',
  'step.finished': 'The model answered',
  'context.fitted': 'The run has become too long for its model, which sees less of it from now on',
  'model.changed': "The agent's fallback model is asked from now on",
  'tool.started': 'A tool call is about to be sent',
  'tool.failed': 'An attempt at a tool call failed, and there is another',
  'tool.finished': 'A tool call is over',
  'approval.requested': 'A tool call waits for somebody to approve it',
  'approval.decided': 'The tool call was approved or refused, or nobody decided in time',
  'credential.refreshed': 'The tokens of a site were refreshed for a tool call',
  'wait.started': 'The run waits',
  'wait.ended': 'The run continues',
  'cancel.requested': 'Somebody asked for the end of the run',
  ended: 'The run is over; this is the last event',
} satisfies Record<Kind, string>

const nameFor = (kind: string, suffix: string): string =>
  `${kind.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}${suffix}`

const shared = { number: field(whole, 'Its number in the run, from 1 without gaps', 1), at: time }

function variantOf<K extends Kind>(kind: K) {
  const of = named(nameFor(kind, 'Data'), data[kind], `What is known of \`${kind}\``)
  const event = v.object({ ...shared, kind: field(v.literal(kind), meanings[kind]), data: of })
  return named(`Run${nameFor(kind, 'Event')}`, event, meanings[kind])
}

const kinds = Object.keys(data) as Kind[]
const documentation = named(
  'RunEvent',
  v.variant('kind', kinds.map(variantOf) as never) as v.GenericSchema,
  'One event of a timeline, the same in JSON and in a stream. Its `kind` says what its `data` is',
)

/** One event of a timeline. While a deploy is under way the record may have kinds that this process does not know. */
export const event = documentedBy(
  v.object({ number: v.number(), kind: v.string(), at: time, data: v.record(v.string(), v.unknown()) }),
  documentation,
)

/** What a stream tells between the events, and what is not on record. */
export const words = named(
  'RunWords',
  v.object({
    kind: v.literal('words'),
    data: named(
      'WordsData',
      v.object({
        step: field(whole, 'The step whose answer it is', 1),
        attempt,
        offset: field(
          whole,
          'How many UTF-16 units of the answer came before; at 0 the text begins, or begins anew',
          0,
        ),
        text: field(v.string(), 'What the model has written since', 'I look at the'),
      }),
      'Where the words stand in the answer',
    ),
  }),
  'Words of an answer that is not complete, only in a stream. The event has no number',
)
