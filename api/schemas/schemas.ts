import * as v from 'valibot'
import { tierNames } from '../../src/billing/tiers.ts'
import { triggers } from '../../src/runs/run.ts'
import { runStatuses } from '../../src/runs/states.ts'
import { catalogue, type ErrorCode } from '../../src/errors.ts'
import { cleanName, problemOfName, unitsOfCharacter } from '../../src/names.ts'
import { field, nameOf, named, whole, wholeInQuery } from './documented.ts'
import { exampleIds, idOf } from './example-ids.ts'
import { instant } from './instant.ts'
import { isStorable } from '../../src/text.ts'

/** A string from outside that Postgres can store: no U+0000, no lone surrogate. */
export const text = (max: number, min = 1) =>
  v.pipe(
    v.string('must be a string'),
    v.minLength(min, min === 1 ? 'must not be empty' : `must have at least ${min} characters`),
    v.maxLength(max, `must have at most ${max} characters`),
    v.check(isStorable, 'must not contain U+0000 or broken Unicode'),
  )

/** A display name in normalized form; `max` counts visible characters. */
export const name = (max: number, ...[meaning, ...examples]: readonly [string, ...unknown[]]) =>
  v.pipe(
    field(text(max * unitsOfCharacter), `${meaning}. One line, at most ${max} visible characters.`, ...examples),
    v.transform(cleanName),
    v.rawCheck(({ dataset, addIssue }) => {
      const problem = dataset.typed ? problemOfName(dataset.value, max) : undefined
      if (problem !== undefined) addIssue({ message: problem })
    }),
  )

/** A time in UTC. Its format describes it, so each member may have its own example. */
export const time = v.pipe(
  v.date(),
  v.transform((date) => date.toISOString()),
  v.metadata({ description: 'Time in UTC (ISO 8601)' }),
)

export const id = idOf('agent')

export const createdAt = field(time, 'Creation time')
export const updatedAt = field(time, 'Time of the last change')

export const ownerId = idOf('user', 'Owner: a workspace or a user')

/** The owner that a request acts for. */
export const inWorkspace = {
  workspaceId: v.optional(field(text(64), 'Workspace to use. Default: your own account.', exampleIds.workspace)),
}

const pageLimit = wholeInQuery({
  description: 'Maximum number of items per page',
  pattern: /^\d{1,3}$/,
  message: 'must be a number from 1 to 100',
  min: 1,
  max: 100,
  fallback: 20,
})

/** A filter by id in a query. It has no example, because API viewers would send it. */
export const idFilter = (description: string) =>
  v.optional(field(v.pipe(text(64), v.uuid('must be a UUID')), description))

export const paging = {
  cursor: v.optional(field(text(200), '`nextCursor` of the previous page. Omit it for the first page.')),
  limit: pageLimit,
  order: v.optional(
    named(
      'ListOrder',
      v.picklist(['newest', 'arrival'], 'must be newest or arrival'),
      '`newest` (default): newest first. `arrival`: in order of arrival. With `arrival`, `nextCursor` is never null and leads to later arrivals.',
      'newest',
    ),
  ),
  since: instant('Return only items at or after this time (RFC 3339)'),
  until: instant('Return only items before this time (RFC 3339)'),
}

/** The query member that selects an owner. */
export const ofOwner = {
  workspaceId: idFilter('Workspace to read. Default: your own account.'),
}

/** The query members of a list of an owner's items. */
export const pagingOfOwner = { ...paging, ...ofOwner }

/** The response of a list: one page. */
export const pageOf = <Item extends v.GenericSchema>(item: Item) =>
  named(
    `${nameOf(item)}Page`,
    v.object({
      items: field(v.array(item), 'Items on this page'),
      nextCursor: field(
        v.nullable(v.string()),
        '`cursor` for the next page. Null on the last page, but never with `order=arrival`.',
        null,
      ),
    }),
    'Page of a list',
  )

/** The response of a list that is always short. */
export const listOf = <Item extends v.GenericSchema>(item: Item) =>
  named(
    `${nameOf(item)}List`,
    v.object({ items: field(v.array(item), 'All items in the list') }),
    'Complete list, not paginated',
  )

export const runStatus = named(
  'RunStatus',
  v.picklist(runStatuses, `must be one of ${runStatuses.join(', ')}`),
  'Status of a run. `completed`, `failed`, `cancelled` and `skipped` are final.',
  'completed',
)
export const trigger = named(
  'Trigger',
  v.picklist(triggers, 'must be manual, scheduled or webhook'),
  'What starts a run',
  'webhook',
)

export const tier = named('Tier', v.picklist(tierNames), 'Subscription tier')

export const errorCode = named(
  'ErrorCode',
  v.picklist(Object.keys(catalogue) as [ErrorCode, ...ErrorCode[]]),
  'Machine-readable error code. Each response lists its possible codes.',
  'VALIDATION_ERROR',
)

const errorDetail = named(
  'ErrorDetail',
  v.object({
    path: field(v.string(), 'Path of the invalid value, such as `sites.0.tools`. Empty for the whole request.', 'name'),
    message: field(v.string(), 'What is wrong with the value', 'must not be empty'),
  }),
  'Invalid value in a request',
)

/** The body of every failure (docs/specification.md, "Platform error body"). */
export const errorBody = named(
  'Error',
  v.object({
    error: field(v.string(), 'Human-readable error message', 'The request body is invalid. name: must not be empty'),
    code: errorCode,
    statusCode: field(whole, 'HTTP status', 400),
    details: v.optional(field(v.array(errorDetail), 'Invalid values in the request')),
    callId: v.optional(idOf('call', 'Direct tool call that failed')),
    outcome: v.optional(
      named(
        'CallOutcome',
        v.picklist(['succeeded', 'failed', 'unknown']),
        'Outcome of a tool call. `unknown`: the site may have acted, so check before you repeat the call.',
      ),
    ),
    siteStatus: v.optional(field(whole, "HTTP status of the site's response", 503)),
  }),
  'Body of every error response',
)
