import * as v from 'valibot'
import { CodedError, isCoded, type ErrorDetail } from '../errors.ts'
import { decodeUtf8, joinPath, lossyPlaces, parseJson } from '../json.ts'
import { parseSiteUrl } from '../site-url.ts'
import { firstProblems } from './first-problems.ts'
import { inputSchemaProblems } from './input-schema.ts'
import { isObject, type SchemaObject } from './schema-keywords.ts'

const mostTools = 200
const scopes = ['read', 'write', 'delete', 'admin'] as const

const text = (longest: number) =>
  v.pipe(
    v.string(say),
    v.regex(/\S/, 'must not be empty'),
    v.maxLength(longest, `must have at most ${longest} characters`),
  )
const oneOf = <const T extends readonly string[]>(options: T) =>
  v.picklist(options, `must be one of ${options.join(', ')}`)

/** A list, counted before its entries are looked at: a hundred thousand wrong ones would be as many issues. */
const list = <T extends v.GenericSchema>(item: T, most: number) =>
  v.pipe(v.array(v.unknown(), say), v.maxLength(most, `must have at most ${most} entries`), v.array(item))

/** An https address of a site, kept as it is written. */
const address = () =>
  v.pipe(
    v.string(say),
    v.rawCheck(({ dataset, addIssue }) => {
      const problem = dataset.typed ? addressProblem(dataset.value) : undefined
      if (problem !== undefined) addIssue({ message: problem })
    }),
  )
/** The addresses of tools are made by appending to this one. */
const base = () => v.pipe(address(), v.regex(/^[^?]*$/, 'must not have a query'))

const tool = () =>
  v.looseObject(
    {
      name: v.pipe(
        text(64),
        v.regex(
          /^(?:[a-z][a-z0-9_]*|[a-z][a-zA-Z0-9_]*\.[a-z][a-zA-Z0-9]*)$/,
          'must be snake_case or <namespace>.<camelCaseName>',
        ),
      ),
      description: text(4_000),
      input_schema: v.custom<SchemaObject>(isObject, say),
      scope: v.optional(oneOf(scopes)),
      effect: v.optional(oneOf(['read', 'idempotent', 'once'])),
    },
    say,
  )

const auth = () =>
  v.variant(
    'type',
    [
      v.looseObject({ type: v.literal('bearer') }, say),
      v.looseObject(
        {
          type: v.literal('oauth2'),
          authorization_url: address(),
          token_url: address(),
          scopes: list(oneOf(scopes), 20),
        },
        say,
      ),
    ],
    (issue) => (issue.path?.at(-1)?.key === 'type' ? 'must be bearer or oauth2' : say(issue)),
  )

const manifestSchema = () =>
  v.looseObject(
    {
      name: text(200),
      version: text(100),
      description: text(4_000),
      server: v.looseObject({ url: base() }, say),
      auth: auth(),
      tools: list(tool(), mostTools),
    },
    say,
  )

/** A site's toolsite.json (specification, "Manifest"). Unknown members are kept. */
export type Manifest = v.InferOutput<ReturnType<typeof manifestSchema>>
export type ManifestTool = v.InferOutput<ReturnType<typeof tool>>

/**
 * Reads the bytes of a manifest. Throws MANIFEST_INVALID with every wrong place as a dotted path, the first 50 at
 * most; a place '' is the document itself.
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  const written = decodeUtf8(bytes)
  if (written === undefined) throw invalid([{ path: '', message: 'is not UTF-8 text' }])
  const parsed = parseJson(written)
  if (!parsed.ok) throw invalid([{ path: parsed.path, message: parsed.problem }])
  if (!isObject(parsed.value)) throw invalid([{ path: '', message: 'must be an object' }])
  const checked = v.safeParse(manifestSchema(), parsed.value)
  const shape = checked.success ? [] : checked.issues.map(toDetail)
  const problems = firstProblems([...shape, ...lossyTexts(parsed.value), ...toolsProblems(parsed.value)], 50)
  if (!checked.success || problems.length > 0) throw invalid(problems)
  return checked.output
}

const invalid = (details: ErrorDetail[]) => new CodedError('MANIFEST_INVALID', { details })

const toDetail = (issue: v.BaseIssue<unknown>): ErrorDetail => ({
  path: (issue.path ?? []).reduce((path, { key }) => joinPath(path, String(key)), ''),
  message: issue.message,
})

/** Valibot's sentence in ours: `Invalid type: Expected string but received undefined` is a missing member. */
function say(issue: v.BaseIssue<unknown>): string {
  if (issue.received === 'undefined') return 'is required'
  const expected: Record<string, string> = {
    Array: 'a list',
    Object: 'an object',
    unknown: 'an object',
    string: 'a string',
  }
  return `must be ${expected[issue.expected ?? ''] ?? issue.expected}`
}

function addressProblem(written: string): string | undefined {
  try {
    parseSiteUrl(written)
    return undefined
  } catch (error) {
    if (isCoded(error, 'INVALID_URL')) return error.message
    throw error
  }
}

/** Numbers may be rounded: generated schemas bound integers by 2^63, and nothing hangs on the last digit of that. */
const lossyTexts = (value: unknown): ErrorDetail[] => [...lossyPlaces(value)].filter(({ kind }) => kind !== 'number')

/** What the shape cannot say: input schemas, which share one limit for patterns, and names that occur twice. */
function toolsProblems(manifest: SchemaObject): ErrorDetail[] {
  const tools = Array.isArray(manifest['tools']) ? manifest['tools'].slice(0, mostTools) : []
  const budget = { instructions: 0 }
  const seen = new Set<unknown>()
  return tools.flatMap((entry: unknown, index) => {
    if (!isObject(entry)) return []
    const place = `tools.${index}`
    const twice = typeof entry['name'] === 'string' && seen.has(entry['name'])
    seen.add(entry['name'])
    const schema = isObject(entry['input_schema']) ? inputSchemaProblems(entry['input_schema'], budget) : []
    const inSchema = schema.map(({ path, message }) => ({
      path: `${place}.input_schema${path && `.${path}`}`,
      message,
    }))
    return twice ? [{ path: `${place}.name`, message: 'is the name of an earlier tool' }, ...inSchema] : inSchema
  })
}
