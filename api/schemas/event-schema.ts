import * as v from 'valibot'
import type { EventData } from '../../src/runs/timeline.ts'
import { meanings as agent } from './agent-fields.ts'
import { webhookField } from './agent-schema.ts'
import { callEvents, callId, note } from './call-event-schema.ts'
import { anyJson, documentedBy, field, freeObject, named, whole } from './documented.ts'
import { idOf } from './example-ids.ts'
import { endedStatus, endReason, waitCause } from './run-schema.ts'
import { errorCode, time, trigger } from './schemas.ts'

type Kind = keyof EventData

const ofStep = {
  step: field(whole, 'Step number, from 1', 1),
  attempt: field(whole, 'Attempt number, from 1', 1),
}
const requestedCall = named(
  'RequestedCall',
  v.object({ callId, name: field(v.string(), 'Tool name as the model wrote it', 'issues_createIssue') }),
  'Tool call that the model requested',
)
export const payload = freeObject('Payload', 'JSON object that a sender posts', {
  title: 'The export hangs',
  content: 'It stops at 99 %.',
  category: 'bug',
})

const keptHeaders = freeObject('KeptHeaders', 'Delivery headers that the platform keeps, by name', {
  'x-github-event': 'issues',
})
const missingSite = named(
  'MissingSite',
  v.object({
    name: field(v.string(), 'Name of the site', 'Tracker'),
    origin: field(v.string(), 'Origin of the site', 'https://tracker.example.com'),
    reason: field(v.string(), 'Why the site is missing', 'removed'),
    tools: v.optional(field(v.array(v.string()), 'Missing tools. Absent if all tools are missing.', ['search_issues'])),
  }),
  'Agent site that a run cannot use or that lacks some tools',
)

/** The data of each kind. Objects are loose: undeclared members are served too, and a test finds them. */
const data = {
  accepted: v.looseObject({
    trigger,
    sequence: field(whole, "Position among the agent's runs in order of arrival, from 1", 1),
    ahead: field(whole, 'Number of unfinished runs ahead of this one', 0),
    replayOf: v.optional(idOf('run', 'Run that this run replays')),
    edited: v.optional(
      field(v.boolean(), 'The replay was requested with this payload or input. Absent if it is from the replayed run.'),
    ),
    payload: field(
      v.nullable(v.union([payload, v.string()])),
      'Payload of the delivery, or input of a manual run. Null if there is none.',
    ),
    headers: v.optional(keptHeaders),
  }),
  started: v.looseObject({
    epoch: field(whole, 'Number of executions started for the run', 1),
    override: named(
      'PromptOverride',
      v.picklist(['used', 'not-allowed', 'absent']),
      "Whether the payload's `action` member replaced the prompt",
      'absent',
    ),
    systemPrompt: v.optional(field(v.string(), 'Prompt for the run', agent.systemPrompt[1])),
    webhookSchema: v.optional(
      field(v.nullable(v.array(webhookField)), '`webhookSchema` of the agent when the run started', null),
    ),
  }),
  recovered: v.looseObject({
    epoch: field(whole, 'Number of executions started for the run', 2),
    step: field(whole, 'Last recorded step', 1),
    note: field(v.string(), 'Why a new execution was started', 'The execution made no progress.'),
  }),
  'step.started': v.looseObject({ ...ofStep, note }),
  'step.failed': v.looseObject({
    ...ofStep,
    code: field(errorCode, 'Error code of the failed model call', 'MODEL_ERROR'),
    message: field(v.string(), 'Human-readable error message', 'The AI provider returned an error.'),
    willRetry: field(v.boolean(), 'Whether there will be another attempt'),
    retryAt: v.optional(field(v.string(), 'When the provider allows a retry', '2026-11-21T09:00:30.000Z')),
    model: field(v.string(), 'AI model that was called', 'demo'),
    inputTokens: v.optional(field(whole, 'Tokens read by the model, if the provider billed them', 610)),
    outputTokens: v.optional(field(whole, 'Tokens written by the model, if the provider billed them', 71)),
    cachedTokens: v.optional(field(whole, "Part of `inputTokens` that came from the provider's cache", 512)),
    credits: v.optional(field(whole, 'Credits charged, if the provider billed the attempt', 1)),
    costUsd: v.optional(field(v.nullable(v.number()), 'Cost in USD. Null if the price is unknown.', 0.0041)),
  }),
  'step.finished': v.looseObject({
    ...ofStep,
    model: field(v.string(), 'AI model that answered', 'demo'),
    text: field(v.string(), 'Answer from the model', 'I will file an issue.'),
    finish: named(
      'Finish',
      v.picklist(['stop', 'tool-calls', 'length', 'content-filter', 'other']),
      'Why the model stopped',
      'tool-calls',
    ),
    endWord: v.optional(field(v.string(), "Provider's term for an unusual `finish`", 'eos_token')),
    inputTokens: field(whole, 'Tokens read by the model', 610),
    outputTokens: field(whole, 'Tokens written by the model', 71),
    cachedTokens: field(whole, "Part of `inputTokens` that came from the provider's cache", 512),
    credits: field(whole, 'Credits charged for the step', 1),
    costUsd: field(v.nullable(v.number()), 'Cost in USD. Null if the price is unknown.', 0.0012),
    latencyMs: field(v.number(), 'Duration of the model call, in milliseconds', 840),
    calls: field(v.array(requestedCall), 'Tool calls that the model requested'),
    missingSites: v.optional(field(v.array(missingSite), 'Agent sites that the step could not use')),
    outcome: v.optional(
      named(
        'StepOutcome',
        v.picklist(['empty', 'truncated', 'refused', 'off_schema', 'summary']),
        'Why the answer was not used. `summary`: the answer is a summary of earlier steps.',
        'truncated',
      ),
    ),
    remark: v.optional(
      field(v.string(), 'Correction sent to the model', '"issue" is of the type "string", expected "integer"'),
    ),
    output: v.optional(
      field(anyJson, "Answer as JSON that matches the agent's `outputSchema`. Only in the last step.", {
        issue: 4711,
      }),
    ),
  }),
  'context.fitted': v.looseObject({
    step: ofStep.step,
    shortenedThrough: field(whole, 'Last step whose long results are shortened. 0 for none.', 12),
    leftOutThrough: field(whole, 'Last step that is omitted. 0 for none.', 0),
    tokensBefore: field(whole, 'Estimated length of the full prompt, in tokens', 118_000),
    tokensAfter: field(whole, 'Estimated length of the shortened prompt, in tokens', 71_000),
    contextTokens: field(whole, "Size of the model's context window, in tokens", 128_000),
    note: field(
      v.string(),
      'Human-readable description of what was done',
      "The run no longer fits in the model's context window.",
    ),
  }),
  'model.changed': v.looseObject({
    step: ofStep.step,
    from: field(v.string(), 'Previous AI model', 'gpt-5-mini'),
    to: field(v.string(), 'AI model from this step on', 'claude-sonnet-5'),
    note: field(v.string(), 'Human-readable reason for the change', 'The model failed.'),
  }),
  ...callEvents,
  'wait.started': v.looseObject({
    cause: waitCause,
    site: field(
      v.nullable(v.string()),
      'Site that the run is waiting for. Null if the run is waiting for something else.',
      'https://tracker.example.com',
    ),
    model: v.optional(field(v.string(), 'AI model that the run is waiting for', 'gpt-5')),
    until: field(
      v.string(),
      'When the run will check again or its approval request will expire. For `credits` and `credential`, this is when the run will fail.',
      '2026-11-21T09:01:00.000Z',
    ),
    calls: field(whole, 'Number of waiting tool calls', 1),
    note: field(
      v.string(),
      'Human-readable description of what the run is waiting for',
      'The site limits the number of calls.',
    ),
  }),
  'wait.ended': v.looseObject({
    cause: waitCause,
    ms: field(v.number(), 'Duration of the wait, in milliseconds', 31_020),
  }),
  'cancel.requested': v.looseObject({
    by: named(
      'CancelRequester',
      v.picklist(['owner', 'operator', 'sender', 'deletion']),
      'Who requested the cancellation. `deletion`: the agent was deleted.',
    ),
  }),
  ended: v.looseObject({
    status: endedStatus,
    reason: field(v.nullable(endReason), 'Why the run did not complete. Null if it completed.', null),
    message: field(v.nullable(v.string()), '`reason` as a sentence, or null if there is no reason', null),
  }),
} satisfies Record<Kind, v.GenericSchema>

/** `tsc` fails here and names the members that the record has and this file does not. */
type Undeclared = { [K in Kind]: Exclude<keyof EventData[K], keyof (typeof data)[K]['entries']> }[Kind]
/** @public Only the compiler reads it. */
export const undeclared: Undeclared[] = [] satisfies never[]

const meanings = {
  accepted: 'The run was accepted',
  started: 'The run left the queue',
  recovered: 'A new execution took over because the previous one made no progress',
  'step.started': 'The model was called',
  'step.failed': 'The model call failed',
  'step.finished': 'The model answered',
  'context.fitted': 'The run outgrew the context window, so from now on the model sees only part of the run',
  'model.changed': 'The run uses another model from now on',
  'tool.started': 'A tool call is being sent',
  'tool.failed': 'An attempt at a tool call failed and will be retried',
  'tool.finished': 'A tool call finished',
  'approval.requested': 'A tool call is waiting for approval',
  'approval.decided': 'A tool call was approved or refused, or its approval request expired',
  'credential.refreshed': "A site's tokens were refreshed",
  'wait.started': 'The run started waiting',
  'wait.ended': 'The run continued',
  'cancel.requested': 'Cancellation was requested',
  ended: 'The run ended. This is the last event.',
} satisfies Record<Kind, string>

const nameFor = (kind: string, suffix: string): string =>
  `${kind.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}${suffix}`

const shared = {
  number: field(whole, 'Event number in the run, from 1 without gaps', 1),
  at: field(time, 'Time of the event'),
}

function variantOf<K extends Kind>(kind: K) {
  const of = named(nameFor(kind, 'Data'), data[kind], `Data of \`${kind}\` events`)
  const event = v.object({ ...shared, kind: field(v.literal(kind), meanings[kind]), data: of })
  return named(`Run${nameFor(kind, 'Event')}`, event, meanings[kind])
}

export const eventKinds = Object.keys(data) as [Kind, ...Kind[]]
const documentation = named(
  'RunEvent',
  v.variant('kind', eventKinds.map(variantOf) as never) as v.GenericSchema,
  'Timeline event, the same in JSON and in a stream. `kind` determines the shape of `data`.',
)

/** One event of a timeline. During a deploy the record may have kinds that this process does not know. */
export const event = documentedBy(
  v.object({ number: v.number(), kind: v.string(), at: time, data: v.record(v.string(), v.unknown()) }),
  documentation,
)
