import { isSpecType, type ElicitRequestFormParams } from '@modelcontextprotocol/server'
import test from 'ava'
import { formFor } from '../../../api/mcp/approval-form.ts'
import { Approval } from '../../../src/approvals/approval.ts'
import { fieldKinds, type FormField } from '../../../src/forms/form.ts'

const choices = ['a', 'b'].map((value) => ({ value, title: value.toUpperCase() }))
const presets: Partial<Record<FormField['kind'], FormField['preset']>> = {
  number: 1.5,
  integer: 2,
  boolean: true,
  choice: 'a',
  choices: ['a', 'b'],
}

/** The form that a client gets of an approval with such a field. */
function shown(field: Pick<FormField, 'kind'> & Partial<FormField>) {
  const plain = { name: 'value', title: null, description: null, isRequired: true, choices: [], preset: null }
  const form = JSON.stringify({ message: 'Well?', fields: [{ ...plain, min: null, max: null, ...field }] })
  const approval = Approval.fromJson({ tool: 'work', siteOrigin: 'https://site.example', arguments: '{}', form })
  const request = formFor(approval)
  const { properties, required } = (request.params as ElicitRequestFormParams).requestedSchema
  return { isValid: isSpecType.ElicitRequest(request), property: properties['value'], required }
}

for (const kind of fieldKinds)
  test(`a field of the kind ${kind} is one that clients know, with and without its bounds`, (t) => {
    const bounds = kind === 'choice' || kind === 'boolean' ? {} : { min: 1, max: 2 }
    const preset = presets[kind] ?? 'a preset'
    const options = kind.startsWith('choice') ? choices : []
    for (const more of [{}, { ...bounds, preset, title: 'A title', description: 'A description' }]) {
      const { isValid, required } = shown({ kind, choices: options, ...more })
      t.true(isValid, JSON.stringify(more))
      t.deepEqual(required, ['value'])
    }
  })

test('a list of choices is shown as such, with how many may be chosen', (t) => {
  const { property } = shown({ kind: 'choices', choices, min: 1, max: 2, preset: ['b'], title: 'Extras' })
  const anyOf = choices.map(({ value, title }) => ({ const: value, title }))
  t.deepEqual<unknown, unknown>(property, {
    type: 'array',
    items: { anyOf },
    minItems: 1,
    maxItems: 2,
    title: 'Extras',
    default: ['b'],
  })
})
