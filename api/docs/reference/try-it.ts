import { escape } from '../escape.ts'
import type { ApiDocument, Operation, Parameter, Place } from './document.ts'

type Callable = Place & { path: string }

export const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2)

/** The header of a credential that is not a bearer token, such as `X-Session-Token`; undefined if there is none. */
function credentialHeader({ security }: Operation, { components }: ApiDocument): string | undefined {
  const [scheme, ...others] = Object.keys(security[0] ?? {})
  const { in: where, name } = components.securitySchemes[scheme ?? ''] ?? {}
  return where === 'header' && others.length === 0 ? name : undefined
}

/** The request as a curl command, with the examples of its path and body. */
export function curlOf({ method, path, operation }: Callable, document: ApiDocument): string {
  const { parameters = [], security } = operation
  const server = document.servers[0]?.url ?? ''
  const header = credentialHeader(operation, document)
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(exampleOf(parameters, name)))
  const body = bodyOf(operation)
  return [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} ${server}${filled}`,
    ...(security.some((one) => 'token' in one) ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...(header === undefined
      ? []
      : [`-H "${header}: $${header.replace(/^X-/, '').replaceAll('-', '_').toUpperCase()}"`]),
    ...(body === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d '${body.replaceAll("'", `'\\''`)}'`]),
  ].join(' \\\n  ')
}

const exampleOf = (parameters: readonly Parameter[], name: string): string => {
  const { example } = parameters.find((one) => one.in === 'path' && one.name === name) ?? {}
  return typeof example === 'string' ? example : name
}

function bodyOf({ requestBody }: Operation): string | undefined {
  const example = requestBody?.content['application/json'].example
  return requestBody === undefined ? undefined : jsonOf(example ?? {})
}

/** A form that reference.js sends. Without scripts it stays hidden, because a form cannot send JSON. */
export function tryIt({ method, path, operation }: Callable, document: ApiDocument): string {
  const { operationId: id, parameters = [] } = operation
  const header = credentialHeader(operation, document)
  const credential = header === undefined ? [] : [{ name: header, in: 'header', required: true } as Parameter]
  const fields = [...credential, ...parameters].map((parameter) => fieldOf(id, parameter))
  const body = bodyOf(operation)
  return `<details class="try" hidden><summary>Try it</summary>
<form data-method="${escape(method.toUpperCase())}" data-path="${escape(path)}">
${fields.join('')}${body === undefined ? '' : textArea(id, body)}<p><button>Send</button> <output></output></p>
<pre class="answer" tabindex="0" hidden></pre>
</form></details>
`
}

/** Fills in required parameters only, because an example filter would hide the results. */
const fieldOf = (id: string, { name, in: where, required, example }: Parameter): string =>
  `<p><label for="${id}-${name}"><code>${escape(name)}</code></label><input id="${escape(`${id}-${name}`)}" name="${escape(name)}" data-in="${where}" autocomplete="off"${required ? ` required value="${escape(typeof example === 'string' ? example : '')}"` : ''}></p>\n`

const textArea = (id: string, body: string): string =>
  `<p><label for="${id}-body">Body</label><textarea id="${escape(id)}-body" name="body" rows="${Math.min(16, body.split('\n').length + 1)}" spellcheck="false">${escape(body)}</textarea></p>\n`
