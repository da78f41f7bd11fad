import { isObject } from '../../json.ts'
import { type KeywordForm } from './schema-keywords.ts'

interface Form {
  holds: (value: unknown) => boolean
  message: string
}

const types = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']
const isType = (value: unknown): boolean => typeof value === 'string' && types.includes(value)
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every((name) => typeof name === 'string')

/** The required form of each keyword's value. Inner schemas and patterns are validated during the walk. */
export const keywordForms: Record<KeywordForm, Form> = {
  types: {
    holds: (value) => isType(value) || (Array.isArray(value) && value.length > 0 && value.every(isType)),
    message: `must be one of ${types.join(', ')}, or a list of these`,
  },
  list: { holds: Array.isArray, message: 'must be a list of the allowed values' },
  anything: { holds: () => true, message: '' },
  text: { holds: (value) => typeof value === 'string', message: 'must be a string' },
  pattern: { holds: (value) => typeof value === 'string', message: 'must be a string' },
  count: {
    holds: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
    message: 'must be an integer of at least 0',
  },
  number: { holds: Number.isFinite, message: 'must be a number' },
  'positive number': {
    holds: (value) => Number.isFinite(value) && Number(value) > 0,
    message: 'must be a number greater than 0',
  },
  flag: { holds: (value) => typeof value === 'boolean', message: 'must be true or false' },
  names: { holds: isNames, message: 'must be a list of property names' },
  'names by name': {
    holds: (value) => isObject(value) && Object.values(value).every(isNames),
    message: 'must be an object whose values are lists of property names',
  },
  schema: { holds: () => true, message: '' },
  schemas: { holds: (value) => Array.isArray(value) && value.length > 0, message: 'must be a list of schemas' },
  'schemas by name': { holds: isObject, message: 'must be an object whose values are schemas' },
  'schemas by pattern': { holds: isObject, message: 'must be an object whose values are schemas' },
}
