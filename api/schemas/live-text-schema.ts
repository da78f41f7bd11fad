import * as v from 'valibot'
import { field, named, whole } from './documented.ts'

/** Text that a stream sends between events. The record does not keep it. */
export const words = named(
  'RunWords',
  v.object({
    kind: v.literal('words'),
    data: named(
      'WordsData',
      v.object({
        step: field(whole, 'Step that the answer belongs to', 1),
        attempt: field(whole, 'Attempt number, from 1', 1),
        offset: field(
          whole,
          'Position of `text` in the answer, in UTF-16 code units. 0 marks the start: discard any earlier text of the step.',
          0,
        ),
        text: field(v.string(), 'New part of the answer', 'I will look at the'),
      }),
      'Part of an answer and its position',
    ),
  }),
  'Part of an unfinished answer, only in streams. The event has no number.',
)
