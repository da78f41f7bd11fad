import * as v from 'valibot'
import type { ErrorDetail } from '../../../errors.ts'
import { isObject, decodeUtf8, joinPath, lossyPlaces, parseJson } from '../../../json.ts'
import { invalidManifest } from '../../invalid-manifest.ts'
import type { Manifest } from '../../manifest.ts'
import { firstProblems } from '../../schema/first-problems.ts'
import { inputSchemaProblems, noPatterns } from '../../schema/input-schema.ts'
import { type SchemaObject } from '../../schema/schema-keywords.ts'
import { maxTools } from '../../tool.ts'
import { manifestShape } from './manifest-shape.ts'

/**
 * Parses the bytes of toolsite.json. Throws MANIFEST_INVALID with at most 50 problems by dotted path; the path '' is the
 * document itself.
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  const written = decodeUtf8(bytes)
  if (written === undefined) throw invalidManifest([{ path: '', message: 'is not valid UTF-8' }])
  const parsed = parseJson(written)
  if (!parsed.ok) throw invalidManifest([{ path: parsed.path, message: parsed.problem }])
  if (!isObject(parsed.value)) throw invalidManifest([{ path: '', message: 'must be an object' }])
  const checked = v.safeParse(manifestShape(), parsed.value)
  const shape = checked.success ? [] : checked.issues.map(toDetail)
  const beyond = [...issuerProblems(parsed.value['auth']), ...lossyTexts(parsed.value), ...toolsProblems(parsed.value)]
  const problems = firstProblems([...shape, ...beyond], 50)
  if (!checked.success || problems.length > 0) throw invalidManifest(problems)
  const { auth, tools } = checked.output
  return {
    ...without(checked.output, ['left_out']),
    auth: without(auth, ofForeignAuth),
    tools: tools.map((tool) => without(tool, ['proposed_effect', 'output_schema', 'job', 'request'])),
  }
}

/** How users sign in at an authorization server that knows nothing of the platform. */
const ofForeignAuth = [
  'resource',
  'requested_scopes',
  'registration_url',
  'client_auth_methods',
  'reads_client_documents',
  'sends_issuer',
  'credential',
]

/** Unknown members are kept, unless other dialects write members of these names. They would be taken for those. */
const without = <T extends object>(given: T, names: readonly string[]): T =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name))) as T

const toDetail = (issue: v.BaseIssue<unknown>): ErrorDetail => ({
  path: (issue.path ?? []).reduce((path, { key }) => joinPath(path, String(key)), ''),
  message: issue.message,
})

/** Rounded numbers are accepted: generated schemas limit integers to 2^63, and the last digit does not matter. */
const lossyTexts = (value: unknown): ErrorDetail[] => [...lossyPlaces(value)].filter(({ kind }) => kind !== 'number')

/**
 * The issuer identifies the server that codes come from (RFC 9207). An issuer of another origin would let a site
 * impersonate another. The shape reports values that are not addresses.
 */
function issuerProblems(auth: unknown): ErrorDetail[] {
  if (!isObject(auth) || auth['type'] !== 'oauth2' || typeof auth['issuer'] !== 'string') return []
  const [issuer, authorization] = [URL.parse(auth['issuer']), URL.parse(String(auth['authorization_url']))]
  if (!issuer || !authorization) return []
  if (issuer.search !== '') return [{ path: 'auth.issuer', message: 'must not have a query' }]
  const same = issuer.origin === authorization.origin
  return same ? [] : [{ path: 'auth.issuer', message: 'must have the same origin as authorization_url' }]
}

/** Checks input schemas, which share one pattern limit, and duplicate names. */
function toolsProblems(manifest: SchemaObject): ErrorDetail[] {
  const tools = Array.isArray(manifest['tools']) ? manifest['tools'].slice(0, maxTools) : []
  const budget = noPatterns()
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
    return twice ? [{ path: `${place}.name`, message: "duplicates an earlier tool's name" }, ...inSchema] : inSchema
  })
}
