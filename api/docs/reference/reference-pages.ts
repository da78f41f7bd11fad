import { escape } from '../escape.ts'
import { block, inline } from '../inline.ts'
import { layout } from '../layout.ts'
import type { Part } from '../menu.ts'
import { hrefOf, hrefOfTag, placesIn, titleOf, type ApiDocument, type Place, type Schema } from './document.ts'
import { operationSection } from './operation.ts'
import { contentOf, reachable } from './schemas.ts'

/**
 * The API reference, rendered on the server from the OpenAPI document: one page per tag, in the order of the document.
 * Viewers that run in the browser (openapi-explorer, RapiDoc) use style attributes, which this site's policy forbids,
 * have menus that the keyboard does not reach, and load the whole document for one operation.
 */

const menuOf = (document: ApiDocument): Part[] =>
  document.tags.map(({ name }) => ({ title: titleOf(name), entries: placesOf(document, name).map(entryOf(name)) }))

const entryOf =
  (tag: string) =>
  ({ operation }: Place) => {
    const href = hrefOf({ tag, name: operation.operationId })
    return { title: operation.summary, href, file: '' }
  }

const placesOf = (document: ApiDocument, tag: string): Place[] =>
  placesIn(document).filter(({ operation }) => operation.tags[0] === tag)

/** The first page: how to call the API, and all operations. */
export function overviewPage(document: ApiDocument): string {
  const [server] = document.servers
  return layout({
    title: 'API',
    href: '/docs/api',
    menu: menuOf(document),
    main: `<article>
<h1>API</h1>
<p>The API is at <code>${escape(server?.url ?? '')}</code>. It accepts and returns JSON. Send an access token or an API key as <code>Authorization: Bearer …</code>: <a href="/docs/how-to/sign-in-and-api-keys">how to get one</a>. The <a href="/openapi.json">OpenAPI document</a> contains the same information for programs.</p>
<p>Ignore members that you do not recognize. Later versions may add some.</p>
${document.tags.map((tag) => tagSummary(document, tag)).join('')}</article>
`,
  })
}

function tagSummary(document: ApiDocument, { name, description = '' }: ApiDocument['tags'][number]): string {
  const items = placesOf(document, name).map(
    ({ method, path, operation }) =>
      `<li><a href="${escape(hrefOf({ tag: name, name: operation.operationId }))}">${escape(operation.summary)}</a>${path === undefined ? '' : ` <code class="quiet">${escape(method.toUpperCase())} ${escape(path)}</code>`}</li>`,
  )
  return `<h2 id="${escape(name)}"><a href="${escape(hrefOfTag(name))}">${escape(titleOf(name))}</a></h2>\n<p>${inline(description)}</p>\n<ul class="operations">${items.join('\n')}</ul>\n`
}

/** The page of a tag: its operations and the objects that they use. Undefined for an unknown tag. */
export function tagPage(document: ApiDocument, tag: string): string | undefined {
  const about = document.tags.find(({ name }) => name === tag)
  if (!about) return undefined
  const places = placesOf(document, tag)
  return layout({
    title: `API: ${titleOf(tag)}`,
    href: hrefOfTag(tag),
    menu: menuOf(document),
    scripts: ['/docs/reference.js'],
    main: `<p class="part"><a href="/docs/api">API</a></p>
<article>
<h1>${escape(titleOf(tag))}</h1>
<p>${inline(about.description ?? '')}</p>
${tokenForm}${places.map((place) => operationSection(place, document)).join('')}${objects(places, document)}</article>
`,
  })
}

/** reference.js shows this form. The token stays in the tab. */
const tokenForm = `<form class="token" hidden>
<p><label for="token">Access token or API key, for the requests that you try on these pages</label>
<input id="token" name="token" type="password" autocomplete="off" spellcheck="false"></p>
<p class="quiet">What you enter stays in this tab until the tab is closed. If you enter nothing, requests use your sign-in session in this browser.</p>
</form>
`

/** The schemas that the operations refer to, each once. */
function objects(places: readonly Place[], { components }: ApiDocument): string {
  const names = reachable(places.flatMap(schemasOf), components.schemas)
  const listed = names.map((name) => objectSection(name, components.schemas))
  return listed.length === 0 ? '' : `<h2 id="objects">Objects</h2>\n${listed.join('')}`
}

const schemasOf = ({ operation: { requestBody, responses, parameters = [] } }: Place): Schema[] => [
  ...(requestBody ? [requestBody.content['application/json'].schema] : []),
  ...Object.values(responses).flatMap(({ content = {} }) => Object.values(content).map(({ schema }) => schema)),
  ...parameters.map(({ schema }) => schema),
]

function objectSection(name: string, schemas: ApiDocument['components']['schemas']): string {
  const { description, ...schema } = schemas[name] ?? {}
  const about = description === undefined ? '' : `<div>${block(description)}</div>\n`
  return `<section class="object" id="${escape(name)}"><h3>${escape(name)}</h3>\n${about}${contentOf(schema, schemas)}</section>\n`
}
