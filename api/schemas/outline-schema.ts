import * as v from 'valibot'
import { outlinedCharacters } from '../../src/runs/reading/read-outline.ts'
import { documentedBy, field, named, whole } from './documented.ts'
import { eventKinds } from './event-schema.ts'
import { time } from './schemas.ts'

const text = (meaning: string, example: string) => v.optional(field(v.string(), meaning, example))
const count = (meaning: string, example: number) => v.optional(field(whole, meaning, example))

/** Members of the timeline's events that are not bodies. Each event has those of its kind. */
export const outlinedEvent = named(
  'OutlinedEvent',
  v.object({
    number: field(whole, 'Number of the event, from 1', 6),
    // During a deploy the record may have kinds that this process does not know.
    kind: documentedBy(v.string(), named('EventKind', v.picklist(eventKinds), 'Kind of event', 'tool.finished')),
    at: time,
    data: named(
      'OutlinedData',
      v.object({
        trigger: text('What started the run', 'webhook'),
        sequence: count("Position among the agent's runs", 12),
        ahead: count('Number of unfinished runs ahead of this one', 0),
        replayOf: text('Run that this run replays', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a16'),
        epoch: count('Number of executions started for the run', 1),
        override: text("Whether the payload's `action` member replaced the prompt", 'absent'),
        step: count('Step number, from 1', 1),
        attempt: count('Attempt number, from 1', 1),
        attempts: count('Number of attempts', 1),
        model: text('AI model', 'demo'),
        text: text(`First ${outlinedCharacters} characters of the model's answer`, 'I will file an issue.'),
        isWhole: v.optional(field(v.boolean(), 'Whether `text` is the whole answer', true)),
        finish: text('Why the model stopped', 'tool-calls'),
        outcome: text('Why the answer was not used', 'truncated'),
        inputTokens: count('Tokens read by the model', 610),
        outputTokens: count('Tokens written by the model', 71),
        cachedTokens: count("Part of `inputTokens` that came from the provider's cache", 512),
        credits: count('Credits charged', 1),
        costUsd: v.optional(field(v.nullable(v.number()), 'Cost in USD. Null if the price is unknown.', 0.0012)),
        latencyMs: v.optional(field(v.number(), 'Duration of the model call, in milliseconds', 840)),
        code: text('Error code of a failed model call', 'MODEL_ERROR'),
        message: v.optional(
          field(
            v.nullable(v.string()),
            'Human-readable description of a failure or an ending',
            'The AI provider failed.',
          ),
        ),
        willRetry: v.optional(field(v.boolean(), 'Whether there will be another attempt', true)),
        retryAt: text('When the provider allows a retry', '2026-11-21T09:00:30.000Z'),
        callId: text('Id of the tool call', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a40'),
        tool: text('Name of the tool', 'issues.createIssue'),
        site: v.optional(field(v.nullable(v.string()), 'Origin of the site', 'https://tracker.example.com')),
        effect: text('Effect of the tool', 'once'),
        status: text('Outcome of a call, a decision or the run', 'succeeded'),
        siteStatus: v.optional(field(v.nullable(whole), "HTTP status of the site's response", 200)),
        approvalId: text('Id of the approval', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a50'),
        expiresAt: text('When the approval request expires', '2026-11-21T10:00:00.000Z'),
        cause: text('What the run waits for', 'rate_limit'),
        until: text('When the run checks again or gives up', '2026-11-21T09:01:00.000Z'),
        calls: count('Number of waiting tool calls', 1),
        ms: v.optional(field(v.number(), 'Duration of a wait, in milliseconds', 31_020)),
        from: text('Model or step before a change', 'gpt-5-mini'),
        to: text('Model or step after a change', 'claude-sonnet-5'),
        by: text('Who requested a cancellation', 'owner'),
        reason: v.optional(field(v.nullable(v.string()), 'Why the run did not complete', 'MODEL_ERROR')),
        note: text('Human-readable remark', 'The site limits the number of calls.'),
      }),
      'Members of an event that are not bodies',
    ),
  }),
  'Event without payload, prompt, arguments, result or output',
)
