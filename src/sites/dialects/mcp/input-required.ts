import * as v from 'valibot'
import {
  longestDescription,
  longestForm,
  longestMessage,
  longestName,
  longestTitle,
  longestValue,
  mostChoices,
  mostFields,
  mostStateBytes,
  type Form,
  type FormAnswer,
  type FormField,
} from '../../../forms/form.ts'
import { secretAskedFor } from '../../../forms/secret-words.ts'
import { isObject } from '../../../json.ts'

/** What a server asks for, or the sentence that says why nobody is asked. */
export type AskedInput = { form: Form; state: string } | { refusal: string }

/** What the next request of the call carries, besides the person's answer. */
interface State {
  key: string
  requestState?: string
}

/**
 * Reads a result that asks for input (MCP 2026-07-28, "Multi round-trip requests"): one form, which asks for plain
 * values. Lengths are checked before anything else reads them.
 */
export function readInputRequired(result: Record<string, unknown>): AskedInput {
  const { inputRequests, requestState } = result
  const requests = isObject(inputRequests) ? Object.entries(inputRequests) : []
  const [first, ...others] = requests
  if (!first) return refused('The tool asks to be called again later, which is not supported.')
  if (others.length > 0) return refused('The tool asks for several things at once, which is not supported.')
  const [key, request] = first
  const state: State = { key, ...(typeof requestState === 'string' && { requestState }) }
  const stateText = JSON.stringify(state)
  if (Buffer.byteLength(stateText) > mostStateBytes)
    return refused(`The tool asks for input with a state of more than ${mostStateBytes} bytes.`)
  const read = readRequest(request)
  return 'refusal' in read ? read : { form: read, state: stateText }
}

const refused = (refusal: string) => ({ refusal })

function readRequest(request: unknown): Form | { refusal: string } {
  const { method, params } = isObject(request) ? request : {}
  if (method !== 'elicitation/create' || !isObject(params))
    return refused('The tool asks for something else than input of a person, which is not supported.')
  if (params['mode'] !== undefined && params['mode'] !== 'form')
    return refused('The tool asks a person to open an address, which is not supported.')
  const read = v.safeParse(asked, params)
  if (!read.success) return refused(unsupported)
  const { message, requestedSchema } = read.output
  const required = new Set(requestedSchema.required)
  const fields = Object.entries(requestedSchema.properties).map(([name, property]) =>
    fieldOf(name, property, required.has(name)),
  )
  const form = { message, fields }
  if (JSON.stringify(form).length > longestForm) return refused(unsupported)
  const secret = secretAskedFor(form)
  return secret === undefined ? form : refused(`The tool asks a person for a secret (${secret}), which is not allowed.`)
}

const unsupported = 'The tool asks for input in a form that is not supported or too large.'

const most = (length: number) => v.pipe(v.string(), v.maxLength(length))
const titles = { title: v.optional(most(longestTitle)), description: v.optional(most(longestDescription)) }
const value = most(longestTitle)
const length = v.optional(v.pipe(v.number(), v.integer(), v.minValue(0)))
const number = v.optional(v.pipe(v.number(), v.finite()))

const choices = v.union([
  v.object({
    enum: v.pipe(v.array(value), v.minLength(1), v.maxLength(mostChoices)),
    enumNames: v.optional(v.pipe(v.array(most(longestTitle)), v.maxLength(mostChoices))),
  }),
  v.object({
    oneOf: v.pipe(
      v.array(v.object({ const: value, title: most(longestTitle) })),
      v.minLength(1),
      v.maxLength(mostChoices),
    ),
  }),
])

const text = v.object({
  ...titles,
  type: v.literal('string'),
  format: v.optional(v.picklist(['email', 'uri', 'date', 'date-time'])),
  minLength: length,
  maxLength: length,
  default: v.optional(most(longestValue)),
  // A choice that was not understood is no text.
  enum: v.optional(v.never()),
  oneOf: v.optional(v.never()),
})

const property = v.union([
  v.intersect([v.object({ ...titles, type: v.literal('string'), default: v.optional(value) }), choices]),
  text,
  v.object({
    ...titles,
    type: v.picklist(['number', 'integer']),
    minimum: number,
    maximum: number,
    default: number,
  }),
  v.object({ ...titles, type: v.literal('boolean'), default: v.optional(v.boolean()) }),
])
type Property = v.InferOutput<typeof property>

const isSmall = (properties: unknown): boolean => isObject(properties) && Object.keys(properties).length <= mostFields

/** The restricted schemas of forms (MCP, "Elicitation"): one level, and primitive values. */
const asked = v.object({
  message: most(longestMessage),
  requestedSchema: v.object({
    type: v.literal('object'),
    properties: v.pipe(v.custom<Record<string, unknown>>(isSmall), v.record(most(longestName), property)),
    required: v.optional(v.pipe(v.array(most(longestName)), v.maxLength(mostFields)), []),
  }),
})

function fieldOf(name: string, property: Property, isRequired: boolean): FormField {
  const { title = null, description = null } = property
  const shared = { name, title, description, isRequired, preset: property.default ?? null }
  const none = { choices: [], min: null, max: null }
  if (property.type === 'boolean') return { ...shared, ...none, kind: 'boolean' }
  if (property.type !== 'string') {
    const { type: kind, minimum: min = null, maximum: max = null } = property
    return { ...shared, ...none, kind, min, max }
  }
  if ('oneOf' in property && property.oneOf) {
    const choices = property.oneOf.map(({ const: value, title }) => ({ value, title }))
    return { ...shared, ...none, kind: 'choice', choices }
  }
  if ('enum' in property && property.enum) {
    const { enum: values, enumNames = [] } = property
    return {
      ...shared,
      ...none,
      kind: 'choice',
      choices: values.map((value, at) => ({ value, title: enumNames[at] ?? value })),
    }
  }
  const { format: kind = 'text', minLength: min = null, maxLength: max = null } = property as v.InferOutput<typeof text>
  return { ...shared, ...none, kind, min, max }
}

/** The members of the next request that answer what the server asked. Its state is returned as it came. */
export function answeringParams(answer: FormAnswer): Record<string, unknown> {
  const { key, requestState } = JSON.parse(answer.state) as State
  const response = answer.action === 'accept' ? { action: 'accept', content: answer.input } : { action: 'decline' }
  return { inputResponses: { [key]: response }, ...(requestState !== undefined && { requestState }) }
}

/** The client can show forms. Servers of before learn nothing of it, because their request would have to wait for a person. */
export const capableOfForms = {
  _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } },
}
