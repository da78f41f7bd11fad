import test from 'ava'
import { errorOf } from '../../../../src/runs/ending/ending-error.ts'
import { endReasons } from '../../../../src/runs/states.ts'

const nothing = { failure: null, waitingFor: null }
const failure = 'The AI provider could not be reached.'

test('the error of a run whose model failed is what was wrong, and after a wait also what became of it', (t) => {
  t.is(errorOf('MODEL_ERROR', { ...nothing, failure }), failure)
  t.is(errorOf('MODEL_UNAVAILABLE', { ...nothing, failure }), `${failure} ${endReasons.MODEL_UNAVAILABLE}`)
  for (const reason of ['MODEL_ERROR', 'MODEL_UNAVAILABLE'] as const) t.is(errorOf(reason, nothing), endReasons[reason])
})

test('the error of a run that has waited for a site in vain names the site', (t) => {
  const waitingFor = 'https://crm.example.com'
  for (const reason of ['SITE_NOT_RECONNECTED', 'WAITED_TOO_LONG'] as const)
    t.is(errorOf(reason, { ...nothing, waitingFor }), `${endReasons[reason]} The site is ${waitingFor}.`)
})

test('the error of any other end is the sentence of its reason, whatever has failed before', (t) => {
  t.is(errorOf('CANCELLED_BY_OWNER', { failure, waitingFor: 'gpt' }), endReasons.CANCELLED_BY_OWNER)
})
