import * as v from 'valibot'
import { shownProgress } from '../src/tools/job.ts'
import { shownResult } from '../src/tools/shown-call.ts'
import { JsonText } from '../src/json-text.ts'
import { callStatuses, type DirectToolCall } from '../src/tools/tool-call.ts'
import { route } from './route/route.ts'
import { progress } from './schemas/call-event-schema.ts'
import { anyJson, field, named, whole } from './schemas/documented.ts'
import { idOf } from './schemas/example-ids.ts'
import { pageOf, paging, text, time } from './schemas/schemas.ts'
import { effect, exampleCall } from './schemas/vault-schema.ts'
import { entryNamed as resource } from './route/resources.ts'

const listed = {
  id: idOf('call'),
  tool: field(v.string(), 'Name of the tool', 'issues.createIssue'),
  effect: field(effect, 'Effect of repeated calls', 'once'),
  status: named(
    'ToolCallStatus',
    v.picklist(callStatuses),
    'unknown: the site may have acted, but its response was lost',
    'succeeded',
  ),
  siteStatus: field(v.nullable(whole), 'HTTP status of the response', 200),
  idempotencyKey: field(
    v.nullable(v.string()),
    'Idempotency key for the call, or null if there is none or the key can be used again',
    'post-17',
  ),
  attempts: field(whole, 'Number of times the call was sent', 1),
  startedAt: field(time, 'When the call was sent'),
  endedAt: field(v.nullable(time), 'When the outcome became known'),
}
const listedCall = named('ToolCallSummary', v.object(listed), 'Direct tool call in a list')
const ofOne = v.object({
  ...listed,
  arguments: field(anyJson, 'Arguments as sent', exampleCall.arguments),
  result: field(
    anyJson,
    'Result of the call, or a sentence if the call failed. Null if there is no readable result.',
    exampleCall.result,
  ),
  progress: field(v.nullable(progress), 'Set while the site works on the call', null),
})
const call = named('ToolCall', ofOne, 'Tool call made by a user, without an agent')

const shared = { tag: 'vault', access: 'account', status: 200, codes: ['NOT_FOUND'] } as const

const present = ({ httpStatus, startedAt, plannedAt, job: _job, ...row }: DirectToolCall) => ({
  ...row,
  siteStatus: httpStatus,
  startedAt: startedAt ?? plannedAt,
})

export const listCalls = route({
  ...shared,
  name: 'listCalls',
  method: 'get',
  path: '/vault/{entryId}/calls',
  summary: 'List direct tool calls',
  description:
    'Newest first. Lists the calls made with `POST /vault/{entryId}/tools/{toolName}/call`. Calls made by runs ' +
    "are on the runs' timelines.",
  query: v.strictObject({
    ...paging,
    idempotencyKey: v.optional(field(text(255), 'Return only the call with this idempotency key')),
  }),
  response: pageOf(listedCall),
  resource,
  async handle({ services, resource, query }) {
    const found = await services.tools.list(resource, query)
    return { ...found, items: found.items.map(present) }
  },
})

export const getCall = route({
  ...shared,
  name: 'getCall',
  method: 'get',
  path: '/vault/{entryId}/calls/{callId}',
  summary: 'Get a direct tool call',
  description: 'Shows what was sent and, if known, the outcome. The call is retained for 90 days.',
  response: call,
  resource,
  handle: async ({ services, resource, params }) => {
    const row = await services.tools.get(resource, params.callId)
    return {
      ...present(row),
      arguments: new JsonText(row.arguments),
      result: shownResult(row),
      progress: shownProgress(row),
    }
  },
})
