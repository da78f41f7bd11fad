import * as v from 'valibot'
import { canBeFilled } from '../../../forms/can-be-filled.ts'
import {
  longestDescription,
  longestForm,
  longestMessage,
  longestName,
  longestTitle,
  longestValue,
  mostChoices,
  mostFields,
  type Form,
  type FormField,
} from '../../../forms/form.ts'
import { readInput } from '../../../forms/read-input.ts'
import { isObject } from '../../../json.ts'

const most = (length: number) => v.pipe(v.string(), v.maxLength(length))
/** A list whose length is known before its members are read. */
const short = <Member extends v.GenericSchema>(length: number, member: Member) =>
  v.pipe(
    v.custom<unknown[]>((list) => Array.isArray(list) && list.length <= length),
    v.array(member),
  )
const value = most(longestTitle)
const number = v.optional(v.pipe(v.number(), v.finite()))
const length = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)))
const texts = { title: v.optional(most(longestTitle)), description: v.optional(most(longestDescription)) }
const choice = { ...texts, type: v.literal('string'), default: v.optional(value) }

const titled = short(mostChoices, v.object({ const: value, title: value }))
const list = {
  ...texts,
  type: v.literal('array'),
  minItems: length,
  maxItems: length,
  default: v.optional(short(mostChoices, value)),
}

/** What a field may be (MCP, "Elicitation", restricted schemas). Lists are of choices only. */
const property = v.union([
  v.object({ ...choice, oneOf: titled }),
  v.object({ ...choice, enum: short(mostChoices, value), enumNames: v.optional(short(mostChoices, value)) }),
  v.object({
    ...texts,
    type: v.literal('string'),
    format: v.optional(v.picklist(['email', 'uri', 'date', 'date-time'])),
    minLength: length,
    maxLength: length,
    default: v.optional(most(longestValue)),
    // A choice that was not understood is no text.
    oneOf: v.optional(v.never()),
    enum: v.optional(v.never()),
  }),
  v.object({ ...texts, type: v.picklist(['number', 'integer']), minimum: number, maximum: number, default: number }),
  v.object({ ...texts, type: v.literal('boolean'), default: v.optional(v.boolean()) }),
  v.object({ ...list, items: v.object({ anyOf: titled }) }),
  v.object({ ...list, items: v.object({ type: v.literal('string'), enum: short(mostChoices, value) }) }),
])
type Property = v.InferOutput<typeof property>

const asked = v.object({
  message: most(longestMessage),
  requestedSchema: v.object({
    type: v.literal('object'),
    properties: v.custom<Record<string, unknown>>(isObject),
    required: v.optional(short(mostFields, v.string()), []),
  }),
})

/** Reads the form of an elicitation, or says why it is shown to nobody. */
export function readForm(params: Record<string, unknown>): Form | { refusal: string } {
  const read = v.safeParse(asked, params)
  if (!read.success) return { refusal: notSupported }
  const { message, requestedSchema } = read.output
  const { required } = requestedSchema
  const properties = Object.entries(requestedSchema.properties)
  if (properties.length > mostFields) return { refusal: notSupported }
  if (required.some((name) => !Object.hasOwn(requestedSchema.properties, name))) return { refusal: missing }
  const fields = properties.flatMap(([name, given]) => {
    const field = v.safeParse(property, given)
    const isRequired = required.includes(name)
    return field.success && name.length <= longestName ? [fieldOf({ name, isRequired }, field.output)] : []
  })
  const form = { message, fields: fields.map(withoutBadPreset) }
  if (fields.length < properties.length || JSON.stringify(form).length > longestForm) return { refusal: notSupported }
  const impossible = fields.findIndex((field) => !canBeFilled(field))
  // Names are a stranger's, and a refusal is no form: it is not looked through for the token.
  return impossible === -1
    ? form
    : { refusal: `The tool asks for a value that nobody can give (field ${impossible + 1}).` }
}

const notSupported = 'The tool asks for input in a form that is not supported or too large.'
const missing = 'The tool asks for a required value, and has no field for it.'

/** A preset that its own field refuses would have to be found and emptied by the person. */
const withoutBadPreset = (field: FormField): FormField =>
  'problems' in readInput({ message: '', fields: [{ ...field, isRequired: false }] }, {})
    ? { ...field, preset: null }
    : field

function fieldOf(named: Pick<FormField, 'name' | 'isRequired'>, property: Property): FormField {
  const { title = null, description = null, default: preset = null } = property
  const field = { ...named, title, description, preset, choices: [], min: null, max: null }
  if (property.type === 'boolean') return { ...field, kind: 'boolean' }
  if (property.type === 'array') {
    const { minItems: min = null, maxItems: max = null, items } = property
    const choices =
      'anyOf' in items ? items.anyOf.map(titledChoice) : items.enum.map((one) => ({ value: one, title: one }))
    return { ...field, kind: 'choices', choices, min, max }
  }
  if (property.type !== 'string') {
    const { type: kind, minimum: min = null, maximum: max = null } = property
    return { ...field, kind, min, max }
  }
  const choices = choicesOf(property)
  if (choices) return { ...field, kind: 'choice', choices }
  const { format: kind = 'text', minLength: min = null, maxLength: max = null } = property as Text
  return { ...field, kind, min, max }
}

type Text = Extract<Property, { minLength?: unknown }>

const titledChoice = ({ const: value, title }: { const: string; title: string }) => ({ value, title })

function choicesOf(property: Property): FormField['choices'] | undefined {
  if ('oneOf' in property && property.oneOf) return property.oneOf.map(titledChoice)
  if (!('enum' in property) || !property.enum) return undefined
  const { enum: values, enumNames = [] } = property
  return values.map((value, at) => ({ value, title: enumNames[at] ?? value }))
}
