import * as v from 'valibot'
import { anyJson, field, named, whole } from './documented.ts'
import { exampleIds, idOf } from './example-ids.ts'
import { time } from './schemas.ts'
import { effect, exampleCall } from './vault-schema.ts'

export const note = v.optional(
  field(v.string(), 'Human-readable note on anything unusual', 'The response to the previous attempt was lost.'),
)
export const callId = idOf('call', 'Id of the tool call')
const site = field(v.string(), 'Origin of the site', 'https://tracker.example.com')
/** The members that describe a call in its events. */
const ofCall = {
  callId,
  step: field(whole, 'Step number, from 1', 1),
  tool: field(v.string(), 'Name of the tool', 'issues.createIssue'),
  site: field(
    v.nullable(v.string()),
    'Origin of the site. Null if no site has the tool.',
    'https://tracker.example.com',
  ),
  effect: field(effect, 'Effect of repeated calls', 'once'),
  arguments: field(
    anyJson,
    'Arguments as a JSON object, or as a string if the model did not write one',
    exampleCall.arguments,
  ),
  idempotencyKey: field(
    v.string(),
    '`Idempotency-Key` sent to the site, the same for every attempt',
    `${exampleIds.run}:2:0`,
  ),
}
const approvalId = idOf('approval', 'Id of the approval')
/** What is known of a call that its site works on. */
export const progress = named(
  'CallProgress',
  v.object({
    since: field(time, 'When the site accepted the call'),
    heardAt: field(time, 'When the site last said that it works on the call'),
    text: field(v.nullable(v.string()), 'What the site says about its progress', 'Reading the sources.'),
  }),
  'Progress of a tool call that the site works on after its response',
)
const attempt = field(whole, 'Attempt number, from 1', 1)

/** The data of the events about a tool call, by kind. */
export const callEvents = {
  'tool.started': v.looseObject({ ...ofCall, attempt, note, progress: v.optional(progress) }),
  'tool.failed': v.looseObject({
    ...ofCall,
    attempt,
    message: field(v.string(), 'Human-readable error message', 'The site responded with 503.'),
    willRetry: field(
      v.literal(true),
      'Always true: there will be another attempt. After the last attempt, `tool.finished` follows.',
    ),
  }),
  'tool.finished': v.looseObject({
    ...ofCall,
    attempts: field(whole, 'Number of attempts', 1),
    status: named(
      'ToolCallOutcome',
      v.picklist(['succeeded', 'failed', 'unknown']),
      'Outcome of a tool call. `unknown`: the site may have acted, but its response was lost.',
    ),
    note,
    siteStatus: field(v.nullable(whole), "HTTP status of the site's response, or null if there was no response", 200),
    result: v.optional(
      field(
        anyJson,
        'Result shown to the model: the JSON from the site, or a sentence if the call failed',
        exampleCall.result,
      ),
    ),
  }),
  'approval.requested': v.looseObject({
    ...ofCall,
    approvalId,
    expiresAt: field(v.string(), 'When the request expires', '2026-11-22T09:00:00.000Z'),
    formNumber: v.optional(
      field(whole, 'If the tool asks a person in the middle of the call: how many times it has asked by now', 1),
    ),
  }),
  'approval.decided': v.looseObject({
    callId,
    approvalId,
    status: named(
      'ApprovalDecision',
      v.picklist(['approved', 'refused', 'expired']),
      'Decision on a tool call. `expired`: nobody decided in time.',
      'approved',
    ),
    note: v.optional(field(v.string(), 'Note from the person who decided', 'Ask the customer first.')),
  }),
  'credential.refreshed': v.looseObject({ callId, site }),
}
