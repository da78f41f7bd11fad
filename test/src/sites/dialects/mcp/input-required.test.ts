import test from 'ava'
import { readInput } from '../../../../../src/forms/read-input.ts'
import { readInputRequired } from '../../../../../src/sites/dialects/mcp/input-required.ts'
import { askingTools } from '../../../../helpers/asking-tools.ts'
import { startMcpServer } from '../../../../helpers/mcp-server.ts'
import { openDialect, shareThreads } from './dialect.ts'

shareThreads(test)

const text = { type: 'string' }
const asking = (properties: object, more: object = {}) => ({
  inputRequests: {
    asked: {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'Well?', requestedSchema: { type: 'object', properties }, ...more },
    },
  },
  requestState: 'state',
})
const questions = (count: number, properties: object, message = 'Well?') =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`q${at}`, asking(properties, { message }).inputRequests.asked]),
  )
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, text]))
const options = (count: number) => Array.from({ length: count }, (_, at) => `option ${at}`)

/** Fields for which there is no value. */
const impossible: Record<string, object> = {
  'a number above its largest': { type: 'number', minimum: 2, maximum: 1 },
  'a whole number between two': { type: 'integer', minimum: 1.2, maximum: 1.8 },
  'a whole number that is not exact': { type: 'integer', minimum: 2 ** 60 },
  'a text that is too short to be long enough': { ...text, minLength: 5, maxLength: 4 },
  'a text of no characters': { ...text, maxLength: 0 },
  'a text that is longer than anybody may write': { ...text, minLength: 4001 },
  'a date in five characters': { ...text, format: 'date', maxLength: 5 },
  'one of no choices': { ...text, enum: [] },
  'three of two choices': { type: 'array', minItems: 3, items: { type: 'string', enum: ['a', 'b', 'b'] } },
  'more choices than it takes': {
    type: 'array',
    minItems: 2,
    maxItems: 1,
    items: { anyOf: [{ const: 'a', title: 'A' }] },
  },
}

const refusals: Record<string, [Record<string, unknown>, RegExp]> = {
  'an address': [asking({}, { mode: 'url', url: 'https://example.com' }), /open an address/],
  'a password': [asking({ password: text }), /for a secret \(password\)/],
  'a secret of which each question has a part': [
    {
      inputRequests: {
        one: asking({ value: { ...text, title: 'Card' } }).inputRequests.asked,
        other: asking({ value: { ...text, title: 'number' } }).inputRequests.asked,
      },
    },
    /for a secret \(card number\)/,
  ],
  'a secret beside a box to tick': [
    {
      inputRequests: {
        one: asking({ a: { type: 'boolean', title: 'Type the password below' }, b: text }).inputRequests.asked,
      },
    },
    /for a secret \(password\)/,
  ],
  'a value without a field': [
    asking({ value: text }, { requestedSchema: { type: 'object', properties: {}, required: ['value'] } }),
    /no field for it/,
  ],
  ...Object.fromEntries(
    Object.entries(impossible).map(([what, field]) => [
      what,
      [asking({ a: text, b: field }), /nobody can give \(field 2\)/],
    ]),
  ),
  'a secret format': [asking({ value: { ...text, format: 'password' } }), /not supported/],
  'a list of values': [asking({ value: { type: 'array', items: text } }), /not supported/],
  'a nested object': [asking({ value: { type: 'object', properties: {} } }), /not supported/],
  'a reference': [asking({ value: { $ref: 'https://example.com' } }), /not supported/],
  'too many fields': [asking(many(21)), /too large/],
  'too many choices': [asking({ value: { ...text, enum: options(101) } }), /too large/],
  'too long a name': [asking({ ['a'.repeat(101)]: text }), /too large/],
  'too long a message': [asking({}, { message: 'a'.repeat(4001) }), /too large/],
  'too large a form': [
    asking(
      Object.fromEntries(
        Object.keys(many(20)).map((name) => [name, { ...text, enum: options(100).map((one) => one.repeat(15)) }]),
      ),
    ),
    /too large/,
  ],
  'too large a state': [{ ...asking({}), requestState: 'é'.repeat(8200) }, /more than 16384 bytes/],
  'a sample of a model': [
    { inputRequests: { asked: { method: 'sampling/createMessage', params: {} } } },
    /something else/,
  ],
  'a list of roots': [{ inputRequests: { asked: { method: 'roots/list' } } }, /something else/],
  'values and something else': [
    { inputRequests: { ...asking({}).inputRequests, other: { method: 'roots/list' } } },
    /something else/,
  ],
  'too many choices of a list': [asking({ value: { type: 'array', items: { enum: options(101) } } }), /too large/],
  'six things': [{ inputRequests: questions(6, {}) }, /more than 5 questions at once/],
  'more fields than a form may have': [{ inputRequests: questions(3, many(7)) }, /too many questions/],
  'more words than a form may have': [{ inputRequests: questions(2, {}, 'a'.repeat(2000)) }, /too many questions/],
  'another call later': [{ requestState: 'state' }, /called again later/],
}

for (const [what, [result, sentence]] of Object.entries(refusals))
  test(`nobody is asked for ${what}`, (t) => {
    const read = readInputRequired(result)
    t.regex('refusal' in read ? read.refusal : '', sentence)
  })

test('a form may have twenty fields of every plain kind, and a field may have any name', (t) => {
  const read = readInputRequired(
    asking({
      ...many(15),
      mail: { ...text, format: 'email' },
      constructor: { type: 'boolean' },
      day: { ...text, format: 'date' },
      old: { ...text, enum: ['a', 'b'], enumNames: ['A'] },
      n: { type: 'number', minimum: 1 },
    }),
  )
  if (!('form' in read)) return t.fail(read.refusal)
  t.is(read.form.fields.length, 20)
  const [mail, odd, day, old, number] = read.form.fields.slice(15)
  t.deepEqual([mail?.kind, odd?.kind, odd?.name, day?.kind], ['email', 'boolean', 'constructor', 'date'])
  t.deepEqual(old?.choices, [
    { value: 'a', title: 'A' },
    { value: 'b', title: 'b' },
  ])
  return t.like(number, { kind: 'number', min: 1, max: null })
})

test('what a field accepts can be given, and a preset that it refuses is not shown', (t) => {
  const read = readInputRequired(
    asking({
      exact: { type: 'integer', minimum: 1, maximum: 1, default: 2 },
      day: { ...text, format: 'date', minLength: 10, maxLength: 10, default: '2026-02-30' },
      mail: { ...text, format: 'email', maxLength: 3, default: 'a@b' },
      all: { type: 'array', minItems: 2, items: { type: 'string', enum: ['a', 'b'] }, default: ['a'] },
      size: { ...text, enum: ['s', 'm'], default: 'l' },
      // Not in the protocol, so nobody checks it: the server may ask again.
      code: { ...text, pattern: '^(?!)' },
    }),
  )
  if (!('form' in read)) return t.fail(read.refusal)
  t.deepEqual(
    read.form.fields.map(({ preset }) => preset),
    [null, null, 'a@b', null, null, null],
  )
  const input = { exact: 1, day: '2026-02-28', mail: 'a@b', all: ['a', 'b'], size: 's', code: 'x' }
  return t.deepEqual(readInput(read.form, input), { input })
})

test('a form is an outcome of the call, and the next request carries the answer and the state as it came', async (t) => {
  const ordered: unknown[] = []
  const server = await startMcpServer(t, { more: askingTools(ordered) })
  const { call } = await openDialect(t)
  const outcome = await call(server.url, 'order', { mayAsk: true })
  if (outcome.kind !== 'asks') return t.fail(JSON.stringify(outcome))
  t.is(outcome.form.message, 'What do you order?')
  const answer = { state: outcome.state, action: 'accept', input: { size: 's' } } as const
  t.like(await call(server.url, 'order', { mayAsk: true, answer }), { kind: 'succeeded' })
  t.deepEqual(ordered, [{ size: 's' }])
  t.like(await call(server.url, 'login', { mayAsk: true }), { kind: 'rejected' })
  return t.like(await call(server.url, 'visit', { mayAsk: true }), { kind: 'rejected' })
})

test('questions that are asked at once are one form, and each gets the values of its own fields', async (t) => {
  const ordered: unknown[] = []
  const server = await startMcpServer(t, { more: askingTools(ordered) })
  const { call } = await openDialect(t)
  const outcome = await call(server.url, 'lunch', { mayAsk: true })
  if (outcome.kind !== 'asks') return t.fail(JSON.stringify(outcome))
  const { form, state } = outcome
  t.is(form.message, '1. What to eat?\n\n2. What to drink?')
  t.like(form.fields, [
    { name: '1.extras', title: '1. Extras', kind: 'choices', min: 1, max: 2, choices: { 0: { title: 'With salt' } } },
    { name: '2.extras', title: '2. extras', kind: 'choices', preset: ['lemon'], choices: { 0: { value: 'ice' } } },
  ])
  const input = { '1.extras': ['oil', 'salt'], '2.extras': [] }
  t.like(await call(server.url, 'lunch', { mayAsk: true, answer: { state, action: 'accept', input } }), {
    kind: 'succeeded',
  })
  t.like(await call(server.url, 'lunch', { mayAsk: true, answer: { state, action: 'decline' } }), { kind: 'succeeded' })
  return t.deepEqual(ordered, [
    [{ extras: ['oil', 'salt'] }, { extras: [] }],
    [false, false],
  ])
})

test('a form that quotes the token is shown to nobody', async (t) => {
  const token = 'the-token-of-the-owner'
  const server = await startMcpServer(t, { token, more: askingTools([], token) })
  const { call } = await openDialect(t)
  const outcome = await call(server.url, 'order', { mayAsk: true, token })
  t.like(outcome, { kind: 'rejected' })
  t.false(JSON.stringify(outcome).includes(token))
})

for (const era of ['current', 'sessions'] as const)
  test(`a server of the protocol ${era} is not told that somebody can be asked where nobody can`, async (t) => {
    const server = await startMcpServer(t, { era, more: askingTools([]) })
    const { call } = await openDialect(t)
    const mayAsk = era === 'sessions'
    t.like(await call(server.url, 'order', { mayAsk }), { kind: 'rejected' })
    t.false(server.received.some(({ body }) => body.includes('elicitation')))
  })
