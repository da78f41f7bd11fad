import { isObject } from '../json.ts'
import * as v from 'valibot'
import { onlyMembers } from './only-members.ts'
import { providerKinds } from './models-config.ts'
import { baseUrl, headers } from './provider-formats.ts'

/** The format of MODELS_FILE (docs/operate/models.md, "Several models"). No message quotes the value. */

const text = (message: string) => v.pipe(v.string(message), v.nonEmpty(message))
export const nameInWords = '1 to 100 letters, digits or any of . : / @ - _'
export const name = v.pipe(v.string('must be a string'), v.regex(/^[\w.:/@-]{1,100}$/, `must be ${nameInWords}`))
const variable = v.pipe(
  v.string('must be the name of an environment variable'),
  v.regex(/^[A-Za-z_]\w*$/, 'must be the name of an environment variable'),
)
const path = v.pipe(v.string('must be a file path'), v.nonEmpty('must be a file path'))
const object = v.custom<Record<string, unknown>>(isObject, 'must be an object')
const count = (min: number, max: number) =>
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(min, `must be at least ${min}`),
    v.maxValue(max, `must be at most ${max}`),
  )
const usd = v.pipe(
  v.number('must be a number'),
  v.minValue(0, 'must not be negative'),
  v.maxValue(100_000, 'must be a price in USD per million tokens, at most 100000'),
)

const regionInWords = 'must be an AWS region, such as eu-central-1'

const tagInWords = 'must be a tag name without brackets, such as think'

const price = onlyMembers({
  input: usd,
  output: usd,
  cacheRead: v.optional(usd),
  cacheWrite: v.optional(usd),
})

export const modelMembers = onlyMembers({
  id: text("must be the provider's name for the model"),
  name: v.optional(name),
  contextTokens: v.optional(count(1000, 100_000_000)),
  maxOutputTokens: v.optional(count(1, 10_000_000)),
  price: v.optional(price),
  stream: v.optional(v.boolean('must be true or false')),
  estimateUsage: v.optional(v.boolean('must be true or false')),
  structuredOutput: v.optional(v.boolean('must be true or false')),
  returnsReasoning: v.optional(v.boolean('must be true or false')),
  reasoningTag: v.optional(v.pipe(v.string(tagInWords), v.regex(/^[a-zA-Z][\w.:-]{0,30}$/, tagInWords))),
  options: v.optional(object),
})

export const providerMembers = onlyMembers({
  name,
  kind: v.picklist(providerKinds, `must be one of ${providerKinds.join(', ')}`),
  baseUrl: v.optional(baseUrl),
  apiKeyEnv: v.optional(variable),
  apiKeyFile: v.optional(path),
  apiVersion: v.optional(text('must be a string')),
  region: v.optional(v.pipe(v.string(regionInWords), v.regex(/^[a-z]+(-[a-z0-9]+)+$/, regionInWords))),
  accessKeyIdEnv: v.optional(variable),
  accessKeyIdFile: v.optional(path),
  secretAccessKeyEnv: v.optional(variable),
  secretAccessKeyFile: v.optional(path),
  sessionTokenEnv: v.optional(variable),
  sessionTokenFile: v.optional(path),
  headers: v.optional(headers),
  concurrency: v.optional(count(1, 10_000), 100),
  models: v.pipe(v.array(modelMembers, 'must be a list'), v.minLength(1, 'must list at least one model')),
})

export const modelsFile = onlyMembers({
  default: v.optional(name),
  providers: v.pipe(v.array(providerMembers, 'must be a list'), v.minLength(1, 'must list at least one provider')),
})

export type ModelsFile = v.InferOutput<typeof modelsFile>
export type WrittenProvider = ModelsFile['providers'][number]
export type WrittenModel = WrittenProvider['models'][number]

/** A provider's secrets. Each is in the variable that `<name>Env` names, or in the file that `<name>File` names. */
export const secretNames = ['apiKey', 'accessKeyId', 'secretAccessKey', 'sessionToken'] as const
