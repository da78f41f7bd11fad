import { isObject } from '../json.ts'
import * as v from 'valibot'
import { modelMembers, name, nameInWords, providerMembers, secretNames } from './models-format.ts'
import { key } from './provider-formats.ts'
import { contentOf } from './setting-files.ts'
import type { Environment } from './environment.ts'

type Members<S extends { entries: v.ObjectEntries }> = Partial<{
  [K in keyof S['entries']]: v.InferOutput<S['entries'][K]>
}>

/** The well-formed members of an object. */
interface Found<S extends { entries: v.ObjectEntries }> {
  place: string
  members: Members<S>
  /** Whether the member exists, well-formed or not. */
  has: (member: keyof S['entries']) => boolean
}
type FoundModel = Found<typeof modelMembers> & { name: string | undefined }
type FoundProvider = Found<typeof providerMembers> & { called: string; models: FoundModel[] }

/** The contradictions among the well-formed parts of MODELS_FILE. One wrong member hides no other problem. */
export function contradictions(file: unknown, env: Environment): string[] {
  const providers = itemsOf(file, 'providers').map((one, index) => foundProvider(one, `providers.${index}`))
  const models = providers.flatMap((one) => one.models)
  return [
    ...twice(providers.map(({ members }) => members.name)).map((one) => `two providers are named ${one}`),
    ...twice(models.map((one) => one.name)).map(
      (one) => `two models are named ${one}. Give one of them a different \`name\``,
    ),
    ...defaultProblems(file, models),
    ...models.flatMap(modelProblems),
    ...providers.flatMap(returnProblems),
    ...providers.flatMap((one) =>
      [...keyProblems(one, env), ...missing(one)].map((problem) => `${one.called} ${problem}`),
    ),
  ]
}

const itemsOf = (value: unknown, member: string): unknown[] =>
  isObject(value) && Array.isArray(value[member]) ? (value[member] as unknown[]) : []

function foundProvider(value: unknown, place: string): FoundProvider {
  const found = foundIn(providerMembers, value, place)
  const models = itemsOf(value, 'models').map((one, index) => foundModel(one, `${place}.models.${index}`))
  return { ...found, models, called: found.members.name === undefined ? place : `the provider ${found.members.name}` }
}

function foundModel(value: unknown, place: string): FoundModel {
  const found = foundIn(modelMembers, value, place)
  const { id, name: own } = found.members
  return { ...found, name: own ?? (v.is(name, id) && !found.has('name') ? id : undefined) }
}

function foundIn<S extends { entries: v.ObjectEntries }>({ entries }: S, value: unknown, place: string): Found<S> {
  const given = isObject(value) ? value : {}
  const members = Object.entries(entries).flatMap(([member, schema]) => {
    const result = member in given ? v.safeParse(schema, given[member]) : undefined
    return result?.success ? [[member, result.output]] : []
  })
  return {
    place,
    members: Object.fromEntries(members) as Members<S>,
    has: (member) => given[member as string] !== undefined,
  }
}

/** Only Chat Completions has a member for reasoning. */
function returnProblems({ members: { kind }, models }: FoundProvider): string[] {
  if (kind === undefined || kind === 'openai-compatible') return []
  return models
    .filter(({ members }) => members.returnsReasoning === true)
    .map(({ place }) => `${place}.returnsReasoning is only for providers whose kind is openai-compatible`)
}

const twice = (names: (string | undefined)[]): string[] => [
  ...new Set(names.filter((one, index) => one !== undefined && names.indexOf(one) < index) as string[]),
]

/** A model with a malformed name may be the intended default. */
function defaultProblems(file: unknown, models: FoundModel[]): string[] {
  const chosen = isObject(file) ? file['default'] : undefined
  const names = new Set(models.map((one) => one.name))
  if (!v.is(name, chosen) || names.size === 0 || names.has(undefined) || names.has(chosen)) return []
  return [`default must be the name of a model: ${[...names].join(', ')}`]
}

function modelProblems({ place, members, has, name: called }: FoundModel): string[] {
  const { id, contextTokens = Infinity, maxOutputTokens = 0 } = members
  const isNameless = id !== undefined && !has('name') && called === undefined
  return [
    ...(isNameless ? [`${place} needs a \`name\`, because its \`id\` is not ${nameInWords}`] : []),
    ...(maxOutputTokens >= contextTokens
      ? [
          `${called === undefined ? place : `the model ${called}`} needs \`maxOutputTokens\` below \`contextTokens\`, because the prompt and the answer share the window`,
        ]
      : []),
  ]
}

/** The problems of the variables and files that a provider's members name. */
const keyProblems = ({ members, has }: FoundProvider, env: Environment): string[] =>
  secretNames.flatMap((secret) => {
    const [inVariable, inFile] = [`${secret}Env`, `${secret}File`] as const
    if (has(inVariable) && has(inFile)) return [`has both \`${inVariable}\` and \`${inFile}\`. Set only one of them`]
    return [...variableProblems(inVariable, members[inVariable], env), ...fileProblems(inFile, members[inFile])]
  })

function variableProblems(member: string, variable: string | undefined, env: Environment): string[] {
  // A variable is empty if its file could not be read, which is reported elsewhere.
  if (variable === undefined || env[variable] === '') return []
  const { issues } = v.safeParse(key, env[variable] ?? '')
  if (!issues) return []
  const { message } = issues[0]
  return isUsual(variable)
    ? [`names the environment variable ${variable}, which ${message}`]
    : [`names an environment variable in \`${member}\` that ${message}`]
}

/** The path is not quoted, because it may be a misplaced key. */
function fileProblems(member: string, path: string | undefined): string[] {
  const problems: string[] = []
  const content = path === undefined ? undefined : contentOf(path, (problem) => problems.push(problem))
  const issue = content ? v.safeParse(key, content).issues?.[0] : undefined
  return [...problems, ...(issue ? [issue.message] : [])].map(
    (problem) => `names a file in \`${member}\` that ${problem}`,
  )
}

/** Detects a key in the place of its variable: it has small letters, or no underscore. */
const isUsual = (variable: string): boolean => /^[A-Z]+(_[A-Z0-9]+)+$/.test(variable)

function missing({ members: { kind = 'demo' }, has: hasMember }: FoundProvider): string[] {
  const has = (name: 'baseUrl' | 'region' | (typeof secretNames)[number]): boolean =>
    name === 'baseUrl' || name === 'region' ? hasMember(name) : hasMember(`${name}Env`) || hasMember(`${name}File`)
  const needed = (isGiven: boolean, what: string) => (isGiven ? [] : [`needs ${what}`])
  const hasAws = has('accessKeyId') && has('secretAccessKey')
  return [
    ...(['openai', 'anthropic', 'google', 'mistral', 'azure'].includes(kind)
      ? needed(has('apiKey'), '`apiKeyEnv` or `apiKeyFile`')
      : []),
    ...(kind === 'azure' || kind === 'openai-compatible' ? needed(has('baseUrl'), '`baseUrl`') : []),
    ...(kind === 'amazon-bedrock' ? needed(has('region'), '`region`') : []),
    ...(kind === 'amazon-bedrock'
      ? needed(
          has('apiKey') || hasAws,
          '`apiKeyEnv`, or `accessKeyIdEnv` and `secretAccessKeyEnv` (or files: `apiKeyFile` …)',
        )
      : []),
  ]
}
