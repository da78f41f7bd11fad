import * as v from 'valibot'
import { ConfigError, readEnvironment, settings, type Environment } from './environment.ts'
import { expectedForm } from './expected-form.ts'
import { readJsonFile } from './json-file.ts'
import { onlyMembers, placeOf } from './only-members.ts'

const originInWords = 'must be an origin, such as https://tracker.example.com'
const tokenInWords = 'must be 1 to 8192 visible characters'

const file = v.record(
  v.string(),
  onlyMembers({
    origin: v.pipe(
      v.string(),
      v.check((written) => written.startsWith('https:') && URL.parse(written)?.origin === written, originInWords),
    ),
    token: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,8192}$/, tokenInWords)),
  }),
)

/** The sites that templates name, each with a token that connects it. */
export type TemplateSites = v.InferOutput<typeof file>

const schema = v.pick(settings, ['TEMPLATE_SITES_FILE'])

/** The sites of TEMPLATE_SITES_FILE, or none. Throws a ConfigError that names every problem and quotes no value. */
export function readTemplateSites(given?: Environment): TemplateSites {
  const { TEMPLATE_SITES_FILE: path } = readEnvironment(schema, given)
  if (path === undefined) return {}
  const written = readJsonFile(path)
  if ('problem' in written) throw new ConfigError([`TEMPLATE_SITES_FILE ${written.problem}`])
  const { success, output, issues } = v.safeParse(file, written.value, { message: expectedForm })
  if (success) return output
  throw new ConfigError(issues.map((issue) => `TEMPLATE_SITES_FILE: ${placeOf(issue)} ${issue.message}`))
}
