import test from 'ava'
import { CodedError } from '../../../../src/errors.ts'
import { editedText } from '../../../../src/runs/accept/edited-input.ts'

const outcomeOf = (...asked: Parameters<typeof editedText>): unknown => {
  try {
    return editedText(...asked)
  } catch (error) {
    return error instanceof CodedError ? [error.code, ...(error.details ?? []).map(({ path }) => path)] : error
  }
}

const cases: [...asked: Parameters<typeof editedText>, outcome: unknown][] = [
  ['webhook', {}, undefined],
  ['webhook', { payload: '{}' }, '{}'],
  ['webhook', { input: '{}' }, ['VALIDATION_ERROR', 'input']],
  ['webhook', { payload: '{}', input: '{}' }, ['VALIDATION_ERROR', 'input']],
  ['manual', {}, undefined],
  ['manual', { input: '"text"' }, '"text"'],
  ['manual', { payload: '{}' }, ['VALIDATION_ERROR', 'payload']],
  ['manual', { payload: '{}', input: '{}' }, ['VALIDATION_ERROR', 'payload']],
  ['scheduled', {}, undefined],
  ['scheduled', { payload: '{}' }, ['VALIDATION_ERROR', 'payload']],
  ['scheduled', { input: '{}' }, ['VALIDATION_ERROR', 'input']],
  ['scheduled', { payload: '{}', input: '{}' }, ['VALIDATION_ERROR', 'payload', 'input']],
]

for (const [trigger, given, outcome] of cases)
  test(`a replay of a ${trigger} run with ${JSON.stringify(given)} has ${JSON.stringify(outcome)}`, (t) => {
    t.deepEqual(outcomeOf(trigger, given), outcome)
  })
