import * as v from 'valibot'
import { tierNames } from '../../src/billing/tiers.ts'
import { triggers } from '../../src/runs/run.ts'
import { runStatuses } from '../../src/runs/states.ts'
import { catalogue, type ErrorCode } from '../../src/errors.ts'
import { cleanName, problemOfName, unitsOfCharacter } from '../../src/names.ts'
import { field, nameOf, named, whole, wholeInQuery } from './documented.ts'
import { instant } from './instant.ts'
import { isStorable } from '../../src/text.ts'

/**
 * A text from outside, of anything that Postgres can store: no U+0000, no lone surrogate.
 */
export const text = (max: number, min = 1) =>
  v.pipe(
    v.string('must be a string'),
    v.minLength(min, min === 1 ? 'must not be empty' : `must have at least ${min} characters`),
    v.maxLength(max, `must have at most ${max} characters`),
    v.check(isStorable, 'must not contain U+0000 or broken Unicode'),
  )

/** A name that people read, in its one spelling; `max` counts visible characters. */
export const name = (max: number, ...[meaning, ...examples]: readonly [string, ...unknown[]]) =>
  v.pipe(
    field(text(max * unitsOfCharacter), `${meaning}: one line of at most ${max} visible characters`, ...examples),
    v.transform(cleanName),
    v.rawCheck(({ dataset, addIssue }) => {
      const problem = dataset.typed ? problemOfName(dataset.value, max) : undefined
      if (problem !== undefined) addIssue({ message: problem })
    }),
  )

/** A time, as ISO 8601 in UTC. */
export const time = v.pipe(
  v.date(),
  v.transform((date) => date.toISOString()),
  v.metadata({ description: 'ISO 8601, UTC', examples: ['2026-11-21T09:00:00.000Z'] }),
)

export const id = field(v.string(), 'UUID, version 7', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10')

/** Of a record: whose it is. */
export const ownerId = field(id, 'Whose it is: a workspace, or a user')

/** Of a request that makes something: whose it will be. */
export const inWorkspace = {
  workspaceId: v.optional(
    field(text(64), 'The workspace that it is to belong to; without it, you', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a02'),
  ),
}

const pageLimit = wholeInQuery({
  description: 'How many items a page has at most',
  pattern: /^\d{1,3}$/,
  message: 'must be a number from 1 to 100',
  min: 1,
  max: 100,
  fallback: 20,
})

/** A query member that an identifier is filtered by. */
export const idFilter = (description: string) =>
  v.optional(field(v.pipe(text(64), v.uuid('must be a UUID')), description, exampleId))

const exampleId = '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a10'

/** The query members of every list. */
export const paging = {
  cursor: v.optional(field(text(200), 'The `nextCursor` of the page before; without it the first page')),
  limit: pageLimit,
  order: v.optional(
    named(
      'ListOrder',
      v.picklist(['newest', 'arrival'], 'must be newest or arrival'),
      '`newest` (the default): newest first. `arrival`: those first that came into the list first; `nextCursor` is never null, and what comes later is behind it',
      'newest',
    ),
  ),
  since: instant('Only items from this time on (RFC 3339)'),
  until: instant('Only items from before this time (RFC 3339)'),
}

/** The query member of what is read of an owner. */
export const ofOwner = {
  workspaceId: idFilter('What belongs to this workspace; without it, what is yours'),
}

/** The query members of a list of what owners have. */
export const pagingOfOwner = { ...paging, ...ofOwner }

/** The response of a list: one page. */
export const pageOf = <Item extends v.GenericSchema>(item: Item) =>
  named(
    `${nameOf(item)}Page`,
    v.object({
      items: field(v.array(item), 'The items of this page'),
      nextCursor: field(
        v.nullable(v.string()),
        'The `cursor` of the next page; null on the last one, and never with `order=arrival`',
        null,
      ),
    }),
    'One page of a list',
  )

/** The response of a list that is never long. */
export const listOf = <Item extends v.GenericSchema>(item: Item) =>
  named(`${nameOf(item)}List`, v.object({ items: field(v.array(item), 'All items') }), 'A list without pages')

export const runStatus = named(
  'RunStatus',
  v.picklist(runStatuses, `must be one of ${runStatuses.join(', ')}`),
  'Where a run is: it has ended when it is `completed`, `failed`, `cancelled` or `skipped`',
  'completed',
)
export const trigger = named(
  'Trigger',
  v.picklist(triggers, 'must be manual, scheduled or webhook'),
  'What starts the runs of an agent',
  'webhook',
)

export const tier = named('Tier', v.picklist(tierNames), 'A subscription tier')

export const errorCode = named(
  'ErrorCode',
  v.picklist(Object.keys(catalogue) as [ErrorCode, ...ErrorCode[]]),
  'What went wrong, for programs. Each response names the codes that it can have',
  'VALIDATION_ERROR',
)

const errorDetail = named(
  'ErrorDetail',
  v.object({
    path: field(v.string(), 'Where in the request it is; empty for the whole of it', 'name'),
    message: field(v.string(), 'What is wrong there', 'must not be empty'),
  }),
  'One place in a request that is wrong',
)

/** The body of every failure (docs/specification.md, "Platform error body"). */
export const errorBody = named(
  'Error',
  v.object({
    error: field(v.string(), 'What went wrong, for people', 'The request body is invalid. name: must not be empty'),
    code: errorCode,
    statusCode: field(whole, 'The HTTP status', 400),
    details: v.optional(field(v.array(errorDetail), 'What is wrong with the request')),
    callId: v.optional(field(v.string(), 'The direct tool call that failed', '0198a3c2-7d1e-7f60-9b1a-2f6f0c3f5a12')),
    outcome: v.optional(
      named(
        'CallOutcome',
        v.picklist(['succeeded', 'failed', 'unknown']),
        'Of a tool call. unknown: the site may have acted; do not repeat the call blindly',
      ),
    ),
    siteStatus: v.optional(field(whole, 'The HTTP status with which the site answered', 503)),
  }),
  'The body of every failure',
)
