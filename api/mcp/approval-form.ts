import { inputRequired, type ElicitRequestFormParams, type InputRequest } from '@modelcontextprotocol/server'
import { formOf, type Approval } from '../../src/approvals/approval.ts'
import type { Form, FormField } from '../../src/forms/form.ts'
import { visible } from '../../src/models/visible-text.ts'
import { quotedName } from '../../src/names.ts'

type Schema = ElicitRequestFormParams['requestedSchema']
type Property = Schema['properties'][string]

/** Longer arguments do not fit a form. A person decides about them in the console, where all of them can be read. */
const longestArguments = 4000

/** Whether a person can read all of it in a form. */
export const fitsForm = ({ arguments: text }: Pick<Approval, 'arguments'>): boolean => text.length <= longestArguments

/** The form that shows an approval to a person: whether to make the call, or what its site asks. */
export function formFor(approval: Approval): InputRequest {
  const form = formOf(approval)
  const tool = `${quotedName(approval.tool)} at ${approval.siteOrigin}`
  const shown = visible(approval.arguments)
  const message = form
    ? `The site asks for input in the middle of the call of ${tool}. Declining refuses. The site says:\n\n${visible(form.message)}`
    : `A run wants to call ${tool} with these arguments:\n\n${shown}\n\nDeclining refuses the call.`
  return inputRequired.elicit({ message, requestedSchema: form ? schemaOf(form) : decisionSchema })
}

const decisionSchema: Schema = {
  type: 'object',
  properties: {
    decision: { type: 'string', title: 'Decision', enum: ['approve', 'refuse'] },
    note: { type: 'string', title: 'Note', description: 'The model reads it if you refuse.', maxLength: 1000 },
  },
  required: ['decision'],
}

const schemaOf = ({ fields }: Form): Schema => ({
  type: 'object',
  properties: Object.fromEntries(fields.map((one) => [one.name, propertyOf(one)])),
  required: fields.filter(({ isRequired }) => isRequired).map(({ name }) => name),
})

function propertyOf({ kind, title, description, choices, min, max, preset }: FormField): Property {
  const texts = {
    ...(title !== null && { title: visible(title) }),
    ...(description !== null && { description: visible(description) }),
    ...(preset !== null && { default: preset }),
  }
  if (kind === 'choice')
    return {
      type: 'string',
      oneOf: choices.map(({ value, title: shown }) => ({ const: value, title: visible(shown) })),
      ...texts,
    } as Property
  if (kind === 'choices')
    return {
      type: 'array',
      items: { anyOf: choices.map(({ value, title: shown }) => ({ const: value, title: visible(shown) })) },
      ...(min !== null && { minItems: min }),
      ...(max !== null && { maxItems: max }),
      ...texts,
    } as Property
  if (kind === 'boolean') return { type: 'boolean', ...texts } as Property
  const isNumber = kind === 'number' || kind === 'integer'
  const bounds = isNumber ? { minimum: min, maximum: max } : { minLength: min, maxLength: max }
  const known = Object.fromEntries(Object.entries(bounds).filter(([, bound]) => bound !== null))
  const format = isNumber || kind === 'text' ? {} : { format: kind }
  return { type: isNumber ? kind : 'string', ...format, ...known, ...texts } as Property
}
