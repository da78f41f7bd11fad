import test from 'ava'
import { bodyOf, changesOf, emptyDraft } from '../../console/screens/agents/form/draft.ts'
import { problemAt } from '../../console/screens/agents/form/form-problems.ts'
import { choiceOf, modelChoices, modelOf, noModel } from '../../console/screens/agents/form/model-choices.ts'
import { freeName, jsonProblem, nameProblem, rowsOf, withRow } from '../../console/screens/agents/form/schema-rows.ts'
import {
  readingTools,
  usesTool,
  withAsking,
  withMore,
  withSite,
  withTool,
} from '../../console/screens/agents/form/site-drafts.ts'
import { webhookRowsOf, withWebhookRow } from '../../console/screens/agents/form/webhook-rows.ts'

const title = { name: 'title', type: 'string', required: true, description: '' } as const

for (const text of ['[]', '{', '{"type":"array"}', '{"properties":[]}', '{"required":1}', 'true'])
  test(`the table shows nothing of ${text}`, (t) => t.is(rowsOf(text), undefined))

test('an empty text is a schema without fields', (t) => t.deepEqual(rowsOf(' '), []))

test('a member without a simple type is shown as another one', (t) =>
  t.deepEqual(
    rowsOf('{"properties":{"a":{"type":"integer","description":"Count"},"b":{"anyOf":[]},"c":true},"required":["a"]}'),
    [
      { name: 'a', type: 'integer', required: true, description: 'Count' },
      { name: 'b', type: 'other', required: false, description: '' },
      { name: 'c', type: 'other', required: false, description: '' },
    ],
  ))

test('a change in the table keeps what the table does not show', (t) => {
  const schema = {
    $defs: { x: true },
    type: 'object',
    properties: { a: { type: 'string', minLength: 3 }, b: { anyOf: [{ type: 'null' }] } },
    required: ['b', 'a'],
    additionalProperties: false,
  }
  const changed = withRow(JSON.stringify(schema), 'a', { ...title, description: 'Title' })
  t.deepEqual(JSON.parse(changed), {
    ...schema,
    properties: { title: { type: 'string', minLength: 3, description: 'Title' }, b: { anyOf: [{ type: 'null' }] } },
    required: ['b', 'title'],
  })
})

test('a changed description keeps a member that only JSON can express', (t) => {
  const row = { name: 'b', type: 'other', required: true, description: '' } as const
  t.deepEqual(JSON.parse(withRow('{"properties":{"b":{"anyOf":[]}}}', 'b', row)), {
    properties: { b: { anyOf: [] } },
    type: 'object',
    required: ['b'],
  })
})

test('a new type drops the keywords of the type before', (t) => {
  const changed = withRow('{"properties":{"title":{"type":"number","minimum":1}}}', 'title', title)
  t.deepEqual(JSON.parse(changed).properties, { title: { type: 'string' } })
})

test('rows are added and removed', (t) => {
  const added = withRow('', undefined, title)
  t.deepEqual(rowsOf(added), [title])
  t.deepEqual(JSON.parse(withRow(added, 'title', undefined)), { type: 'object', properties: {}, required: [] })
})

test('a name is neither empty nor taken', (t) => {
  const rows = [title, { ...title, name: 'field2' }]
  t.is(nameProblem(rows, 'title', 'title'), undefined)
  t.is(nameProblem(rows, 'title', ' '), 'A field needs a name.')
  t.is(nameProblem(rows, 'title', 'field2'), 'Another field has this name.')
  t.is(freeName(rows), 'field3')
  t.is(freeName([{ ...title, name: 'field2' }]), 'field3')
})

test('a text that is not JSON says so', (t) => {
  t.is(jsonProblem(''), undefined)
  t.is(jsonProblem('{}'), undefined)
  t.is(jsonProblem('{'), 'This is not JSON yet.')
})

test('the list of members of a delivery is a table too', (t) => {
  const text = withWebhookRow('', undefined, title)
  t.deepEqual(webhookRowsOf(text), [title])
  t.is(withWebhookRow(text, 'title', undefined), '')
  t.is(webhookRowsOf('{}'), undefined)
  t.is(webhookRowsOf('[1]'), undefined)
  const kept = withWebhookRow('[{"name":"title","type":"string","later":1}]', 'title', { ...title, required: false })
  t.deepEqual(JSON.parse(kept), [{ name: 'title', type: 'string', later: 1, required: false }])
})

const draft = { ...emptyDraft('Europe/Berlin'), name: 'Triage', systemPrompt: 'Sort.' }

test('only a scheduled agent has a cron expression', (t) => {
  t.is(bodyOf(draft).cron, null)
  t.like(bodyOf({ ...draft, trigger: 'scheduled' }), { cron: '0 9 * * 1-5', timeZone: 'Europe/Berlin' })
})

test('an update has only what was changed', (t) => {
  t.deepEqual(changesOf(draft, { ...draft, name: 'Sorter', outputSchema: ' ' }), { name: 'Sorter' })
  t.deepEqual(changesOf({ ...draft, outputSchema: '{"a":1}' }, { ...draft, outputSchema: '{ "a": 1 }' }), {})
  t.deepEqual(changesOf({ ...draft, creditsPerMonth: '5' }, draft), { creditsPerMonth: null })
})

test('a cap that is no number is sent as it is, so that the API says what is wrong', (t) =>
  t.is(bodyOf({ ...draft, creditsPerMonth: 'many' }).creditsPerMonth as unknown, 'many'))

test('a refusal is shown at the field that it names', (t) => {
  const details = [
    { path: 'name', message: 'is too long' },
    { path: 'sites.0.tools', message: 'are too many' },
    { path: 'modelling', message: 'is unknown' },
  ]
  const error = { code: 'VALIDATION_ERROR', error: 'The request is invalid.', details }
  t.is(problemAt(error, 'name'), 'is too long')
  t.is(problemAt(error, 'sites'), '0.tools: are too many')
  t.is(problemAt(error, 'model'), undefined)
  t.is(problemAt(null, 'name'), undefined)
})

test('a model that is no longer there stays chosen', (t) =>
  t.deepEqual(
    modelChoices([{ name: 'a' }], 'gone', 'None').map(({ value }) => value),
    [noModel, 'a', 'gone'],
  ))

test('no model is a choice of its own', (t) => {
  t.is(modelOf(choiceOf('')), '')
  t.is(modelOf(choiceOf('a')), 'a')
})

test('tools that only read can be chosen together, and a tool that deletes or administers asks first', (t) => {
  const read = { name: 'get', scope: 'read', effect: 'read' } as const
  const logs = { name: 'log', scope: 'read', effect: 'once' } as const
  const deletes = { name: 'drop', scope: 'delete', effect: 'idempotent' } as const
  t.deepEqual(readingTools([read, logs, deletes]), ['get'])
  const site = { vaultEntryId: 'v', tools: ['get'] }
  t.deepEqual(withMore(site, logs, []), { vaultEntryId: 'v', tools: ['get', 'log'] })
  t.deepEqual(withMore(site, deletes, []), { vaultEntryId: 'v', tools: ['get', 'drop'], askFirst: ['drop'] })
})

test('a site without a list of tools uses all, and an unused tool is not asked about', (t) => {
  const all = { vaultEntryId: 'v', askFirst: ['a'] }
  t.true(usesTool(all, 'a'))
  const some = withTool(all, ['b'])
  t.deepEqual(some, { vaultEntryId: 'v', tools: ['b'], askFirst: [] })
  t.false(usesTool(some, 'a'))
  t.deepEqual(withTool(some, undefined), { vaultEntryId: 'v', askFirst: [] })
  t.deepEqual(withAsking(some, 'b', true).askFirst, ['b'])
  t.deepEqual(withAsking(all, 'a', false).askFirst, [])
  t.deepEqual(withSite([all], 'v', undefined), [])
  t.deepEqual(withSite([all], 'w', { vaultEntryId: 'w' }), [all, { vaultEntryId: 'w' }])
})
