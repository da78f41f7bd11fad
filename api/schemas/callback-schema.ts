import * as v from 'valibot'
import { callbackStatuses } from '../../src/callbacks/callback.ts'
import { field, named, whole } from './documented.ts'
import { time } from './schemas.ts'

export const callbackStatus = named(
  'CallbackStatus',
  v.picklist(callbackStatuses, `must be one of ${callbackStatuses.join(', ')}`),
  'pending: still being tried',
  'delivered',
)
export const callbackAttempt = named(
  'CallbackAttempt',
  v.object({
    attempt: field(whole, 'Number of the attempt. An attempt is not listed if its process crashed.', 1),
    at: field(time, 'Time of the attempt'),
    httpStatus: field(
      v.nullable(whole),
      "HTTP status of the receiver's response, or null if there was no response",
      200,
    ),
    outcome: field(v.string(), 'Human-readable outcome of the attempt', 'The receiver responded with 200.'),
    latencyMs: field(v.number(), 'Duration, in milliseconds', 84),
  }),
  'Attempt to send a callback',
)
