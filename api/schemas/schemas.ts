import * as v from 'valibot'
import { triggers } from '../../src/runs/run.ts'
import { runStatuses } from '../../src/runs/states.ts'

/**
 * A text from outside, of anything that Postgres can store: no U+0000, no lone surrogate.
 */
export const text = (max: number, min = 1) =>
  v.pipe(
    v.string('must be a string'),
    v.minLength(min, min === 1 ? 'must not be empty' : `must have at least ${min} characters`),
    v.maxLength(max, `must have at most ${max} characters`),
    v.check((value) => !value.includes('\u0000') && value.isWellFormed(), 'must not contain U+0000 or broken Unicode'),
  )

/** A name that people read: a text with at least one character that can be seen. */
export const name = (max: number) =>
  v.pipe(text(max), v.regex(/[^\s\p{C}\p{Z}]/u, 'must have at least one visible character'))

/** A time, as ISO 8601 in UTC. */
export const time = v.pipe(
  v.date(),
  v.transform((date) => date.toISOString()),
  v.metadata({ description: 'ISO 8601, UTC', examples: ['2026-11-21T09:00:00.000Z'] }),
)

export const id = v.pipe(v.string(), v.metadata({ description: 'UUID, version 7' }))

const pageLimit = v.pipe(
  v.optional(v.pipe(v.string('give it once'), v.regex(/^\d{1,3}$/, 'must be a number from 1 to 100')), '20'),
  v.transform(Number),
  v.minValue(1, 'must be at least 1'),
  v.maxValue(100, 'must be at most 100'),
)

/** The query members of every list. */
export const paging = {
  cursor: v.optional(text(200)),
  limit: pageLimit,
}

/** The response of a list: one page, newest first. */
export const pageOf = <Item extends v.GenericSchema>(item: Item) =>
  v.object({ items: v.array(item), nextCursor: v.nullable(v.string()) })

export const runStatus = v.picklist(runStatuses, `must be one of ${runStatuses.join(', ')}`)
export const trigger = v.picklist(triggers, 'must be manual, scheduled or webhook')

/** The body of every failure (docs/specification.md, "Platform error body"). */
export const errorBody = v.object({
  error: v.pipe(v.string(), v.metadata({ description: 'What went wrong, for people' })),
  code: v.string(),
  statusCode: v.pipe(v.number(), v.integer()),
  details: v.optional(v.array(v.object({ path: v.string(), message: v.string() }))),
  callId: v.optional(v.pipe(v.string(), v.metadata({ description: 'The direct tool call that failed' }))),
  outcome: v.optional(
    v.pipe(
      v.picklist(['failed', 'unknown']),
      v.metadata({ description: 'Of a tool call. unknown: the site may have acted; do not repeat the call blindly' }),
    ),
  ),
  siteStatus: v.optional(
    v.pipe(v.number(), v.integer(), v.metadata({ description: 'The HTTP status with which the site answered' })),
  ),
})
