import * as v from 'valibot'
import { freeObject, named } from './documented.ts'

/** The input of a run in a request. */
export const runInput = named(
  'RunInput',
  v.union(
    [
      freeObject('RunInputObject', 'JSON object with any fields', { ticket: 4711 }),
      v.pipe(v.string(), v.minLength(1, 'must not be empty')),
    ],
    'must be a JSON object or a non-empty string',
  ),
  'Input for the run. The model treats it as data, not instructions.',
  { ticket: 4711 },
)
