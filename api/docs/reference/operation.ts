import { escape } from '../escape.ts'
import { block, inline } from '../inline.ts'
import {
  nameOf,
  type ApiDocument,
  type Operation,
  type Parameter,
  type Place,
  type Response,
  type Schema,
} from './document.ts'
import { contentOf, notes, typeOf } from './schemas.ts'
import { curlOf, jsonOf, tryIt } from './try-it.ts'

/** The section of an operation: description, parameters, responses, and a form that sends it. */
export function operationSection(place: Place, document: ApiDocument): string {
  const { method, path, operation } = place
  const { operationId, summary, description } = operation
  return `<section class="operation" id="${escape(operationId)}">
<h2>${escape(summary)} <a class="anchor" href="#${escape(operationId)}" aria-label="Link to ${escape(summary)}">#</a></h2>
${path === undefined ? '<p>A request that Switchyard sends to you.</p>' : callOf(method, path)}
${description === undefined ? '' : block(description)}
${path === undefined ? '' : `<p class="auth">${authenticationOf(operation, document)}</p>`}
${parametersOf(operation)}${bodyOf(operation, document)}${responsesOf(operation, document)}${path === undefined ? '' : requestsOf({ method, path, operation }, document)}</section>
`
}

const callOf = (method: string, path: string): string =>
  `<p class="call"><span class="method ${escape(method)}">${escape(method.toUpperCase())}</span> <code>${escape(path)}</code></p>`

const usualSchemes: Record<string, string> = {
  token: 'an access token or an API key, as <code>Authorization: Bearer …</code>',
  cookie: 'the sign-in cookie',
}

function authenticationOf({ security }: Operation, { components }: ApiDocument): string {
  const schemes = security.flatMap((one) => Object.keys(one).slice(0, 1))
  if (schemes.length === 0) return 'Authentication: none.'
  const said = schemes.map(
    (name) => usualSchemes[name] ?? inline(components.securitySchemes[name]?.description ?? name),
  )
  return `Authentication: ${said.join(', or ')}.`.replaceAll('..', '.')
}

function parametersOf({ parameters = [] }: Operation): string {
  if (parameters.length === 0) return ''
  return `<h3>Parameters</h3>\n<dl class="members">${parameters.map(parameterOf).join('\n')}</dl>\n`
}

const parameterOf = ({ name, in: where, required, description, schema }: Parameter): string =>
  `<div><dt><code>${escape(name)}</code> <span class="type">${typeOf(schema)}, in the ${where}${required ? '' : ', optional'}</span></dt><dd>${notes({ ...schema, ...(description !== undefined && { description }) })}</dd></div>`

function bodyOf({ requestBody }: Operation, document: ApiDocument): string {
  if (!requestBody) return ''
  const { schema, example } = requestBody.content['application/json']
  return `<h3>Request body</h3>\n${contentOf(resolved(schema, document), document.components.schemas)}\n${exampleOf(example)}`
}

const resolved = (schema: Schema, { components }: ApiDocument): Schema =>
  schema.$ref === undefined ? schema : (components.schemas[nameOf(schema.$ref)] ?? schema)

const exampleOf = (example: unknown): string =>
  example === undefined
    ? ''
    : `<div class="code"><pre tabindex="0"><code>${escape(jsonOf(example))}</code></pre></div>\n`

function responsesOf({ responses }: Operation, document: ApiDocument): string {
  const all = Object.entries(responses)
  const isError = ([status]: [string, Response]): boolean => /^[45]\d\d$/.test(status)
  const done = all.filter((one) => !isError(one)).map(([status, response]) => responseOf(status, response))
  const errors = all.filter(isError).flatMap(([status, response]) => errorsOf(status, response, document))
  const listed =
    errors.length === 0
      ? ''
      : `<details><summary>Errors</summary><dl class="members">${errors.join('\n')}</dl></details>\n`
  return `<h3>Response</h3>\n${done.join('')}${listed}`
}

function responseOf(status: string, { description, content = {} }: Response): string {
  const types = Object.entries(content).map(([type, { schema }]) =>
    type === 'application/json' ? typeOf(schema) : `<code>${escape(type)}</code>`,
  )
  const what = types.length === 0 ? '' : ` ${types.join(', or ')}`
  return `<div class="response"><p><code>${escape(status)}</code>${what}</p>${block(description)}${exampleOf(content['application/json']?.example)}</div>\n`
}

/** The codes of a status, each with its meaning and a link to the list of all codes. */
function errorsOf(status: string, { content = {} }: Response, { components }: ApiDocument): string[] {
  const codes = Object.keys(content['application/json']?.examples ?? {})
  return codes.map((code) => {
    const { error = '' } = (components.examples[code]?.value ?? {}) as { error?: string }
    return `<div><dt><code>${escape(status)}</code> <a href="/docs/reference/errors#${code.toLowerCase()}"><code>${escape(code)}</code></a></dt><dd>${escape(error)}</dd></div>`
  })
}

function requestsOf(place: Place & { path: string }, document: ApiDocument): string {
  const command = curlOf(place, document)
  return `<h3>Request</h3>\n<div class="code"><pre tabindex="0"><code>${escape(command)}</code></pre></div>\n${tryIt(place, document)}`
}
