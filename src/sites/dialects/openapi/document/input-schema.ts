import { upgrade } from '@scalar/openapi-upgrader'
import { isObject, lossyPlaces } from '../../../../json.ts'
import { problemSentence } from '../../../left-out.ts'
import { inputSchemaProblems, noPatterns } from '../../../schema/input-schema.ts'
import type { SchemaObject } from '../../../schema/schema-keywords.ts'
import type { OperationParameter, OperationRequest } from '../operation.ts'
import { copySchema } from './copy-schema.ts'
import { spend, TooLarge, type Copying, type Detail } from './copying.ts'
import { Unusable, type Place } from './documents.ts'
import type { GivenParameter } from './parameters.ts'
import { propertyNames, type Described } from './property-names.ts'

/** Characters of the schema of one tool, about: twenty of them must fit into a prompt. */
const maxCharacters = 16 * 1024

/** The first of these that fits is used. A schema that says less accepts more, and the server checks it anyway. */
const details: readonly Detail[] = [
  { levels: 12, text: 500, constant: 4000 },
  { levels: 6, text: 300, constant: 2000 },
  { levels: 4, text: 200, constant: 1000 },
  { levels: 3, text: 100, constant: 500 },
  { levels: 2, text: 60, constant: 200 },
  { levels: 1, text: 40, constant: 100 },
  { levels: 0, text: 40, constant: 100 },
]

type Shared = Pick<Copying, 'documents' | 'isVersion30' | 'patterns'>

/**
 * The schema of a tool's arguments by the platform's rules (JSON Schema 2020-12), and where each property goes. Throws
 * Unusable if there is none.
 */
export function inputOf(
  described: Described,
  shared: Shared,
): Pick<OperationRequest, 'parameters' | 'body'> & {
  schema: SchemaObject
} {
  const names = propertyNames(described)
  const schema = firstThatFits((detail) => schemaWith(detail, described, names, shared))
  const parameters = described.parameters.map((one, index) => toParameter(one, names.parameters[index] ?? ''))
  const { body } = described
  if (!body) return { schema, parameters }
  const { mediaType, encoding } = body
  return { schema, parameters, body: { mediaType, property: names.body, ...(encoding && { encoding }) } }
}

const toParameter = (
  { name, in: place, style, explode, allowReserved, mediaType }: GivenParameter,
  property: string,
): OperationParameter => ({
  name,
  in: place,
  property,
  style,
  explode,
  ...(allowReserved && { allowReserved }),
  ...(mediaType !== undefined && { mediaType }),
})

function firstThatFits(make: (detail: Detail) => SchemaObject): SchemaObject {
  let problem = `has arguments whose schema has more than ${maxCharacters} characters`
  for (const detail of details) {
    try {
      const schema = make(detail)
      const [first] = [...inputSchemaProblems(schema, noPatterns()), ...lossyPlaces(schema)]
      if (!first) return schema
      problem = `has arguments that cannot be checked: ${problemSentence(first)}`
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
    }
  }
  throw new Unusable(problem)
}

function schemaWith(detail: Detail, { parameters, body }: Described, names: Names, shared: Shared): SchemaObject {
  const copying: Copying = { ...shared, detail, budget: { characters: maxCharacters } }
  const all = parameters.map((one, index) => ({ ...one, property: names.parameters[index] ?? '' }))
  const given = body ? [...all, { ...body, property: names.body }] : all
  const properties = given.map(({ property, schema, description }) => {
    spend(copying, property.length + 4)
    return [property, described(copySchema(schema, copying), { value: description, document: '' }, copying)]
  })
  const required = given.filter(({ isRequired }) => isRequired).map(({ property }) => property)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(properties) as SchemaObject,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
  return shared.isVersion30 ? upgraded(schema) : schema
}

type Names = ReturnType<typeof propertyNames>

/** A parameter's own description says more than that of its type. */
function described(schema: unknown, { value }: Place, copying: Copying): unknown {
  const own = copySchema({ value: { description: value }, document: '' }, copying)
  return isObject(schema) && isObject(own) ? { ...schema, ...own } : schema
}

/** A schema of OpenAPI 3.0 as one of JSON Schema 2020-12. */
function upgraded(schema: SchemaObject): SchemaObject {
  const document = { openapi: '3.0.3', components: { schemas: { input: schema } } }
  return (upgrade(document, '3.1') as unknown as typeof document).components.schemas.input
}
