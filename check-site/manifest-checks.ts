import { foreignHosts } from '../src/sites/manifest/foreign-hosts.ts'
import { describeTool } from '../src/sites/tool.ts'
import { failedIf, passed, skipped, warnedIf, type Check } from './check.ts'
import { askPlainHttp } from './plain-http.ts'
import type { Site } from './site.ts'

const failuresOnTheWay = new Set(['dns', 'connect', 'timeout', 'reset', 'refused-address', 'invalid-url', 'aborted'])

/**
 * The duties that a site has before any tool is called (docs/specification.md, "Manifest" and "Transport and storage
 * rules for sites").
 */
export const manifestChecks: Check[] = [
  {
    id: 'site-address',
    demands: 'The site has an https:// address',
    section: 'Transport and storage rules for sites',
    mend: 'Serve the site over HTTPS and name it by its origin, like https://site.example.',
    needs: [],
    run: ({ addressProblem }) => failedIf(addressProblem === undefined ? [] : [addressProblem]),
  },
  {
    id: 'site-reached',
    demands: 'The site can be reached',
    section: 'Manifest',
    mend: 'It must answer from the public internet. For one in development give --allow <host:port>.',
    needs: [],
    run: (site) => onAnswer(site, ({ failure, what }) => (failuresOnTheWay.has(failure ?? '') ? [what] : [])),
  },
  {
    id: 'certificate',
    demands: 'It speaks HTTPS with a valid certificate for its host name',
    section: 'Transport and storage rules for sites',
    mend: 'Install a certificate of a public authority with its whole chain. For a local one give --ca-file <file>.',
    needs: [],
    run: (site) => onAnswer(site, ({ failure, what }) => (failure === 'tls' ? [what] : [])),
  },
  {
    id: 'plain-http',
    demands: 'Nothing is served over plain HTTP',
    section: 'Manifest, Transport: HTTPS only',
    mend: 'Close the port, or answer every request there with a redirect to https://.',
    needs: ['manifest'],
    async run({ origin = '', options }) {
      const { hostname, port } = new URL(origin)
      const plainPort = options.httpPort ?? (port === '' ? 80 : undefined)
      if (plainPort === undefined)
        return skipped('The site is on a port of its own; say with --http-port where to look.')
      return failedIf(await askPlainHttp(hostname, plainPort))
    },
  },
  {
    id: 'manifest-status',
    demands: 'GET /.well-known/toolsite.json is answered with 200, without a redirect',
    section: 'Manifest',
    mend: 'Serve the document at exactly this path of the origin, to everybody.',
    needs: [],
    run: (site) => onAnswer(site, ({ status, what }) => (status !== 0 && status !== 200 ? [what] : [])),
  },
  {
    id: 'manifest-size',
    demands: 'The manifest has at most 256 KiB',
    section: 'Limits of the platform',
    mend: 'Shorten descriptions, or offer fewer tools.',
    needs: [],
    run: (site) => onAnswer(site, ({ failure, what }) => (failure === 'too-large' ? [what] : [])),
  },
  {
    id: 'manifest-type',
    demands: 'The manifest is served as application/json',
    section: 'Manifest',
    mend: 'Send the header Content-Type: application/json.',
    needs: [],
    run: (site) => {
      const type = site.manifestAnswer?.headers.get('content-type') ?? 'none'
      if (site.manifestAnswer?.status !== 200) return skipped('There is no manifest.')
      return warnedIf(isJsonType(type) ? [] : [`Its type is ${type}.`])
    },
  },
  {
    id: 'manifest-shape',
    demands: 'The manifest has every required member, in its right form',
    section: 'Manifest',
    mend: 'The JSON Schema at <platform>/schemas/toolsite.json says what each place must be.',
    needs: [],
    run: ({ manifestAnswer, manifestProblems }) => {
      if (manifestAnswer?.status !== 200) return skipped('There is no manifest.')
      return failedIf(manifestProblems.map(({ path, message }) => `${path || 'The document'}: ${message}`))
    },
  },
  {
    id: 'manifest-hosts',
    demands: 'All addresses in the manifest are on the domain of the site',
    section: 'Manifest, server.url',
    mend: 'Move them there; otherwise everybody who connects the site is asked whether credentials may go elsewhere.',
    needs: ['manifest'],
    run: ({ origin = '', manifest }) => {
      const hosts = manifest ? foreignHosts(origin, manifest) : []
      return warnedIf(hosts.map((host) => `Credentials would go to ${host}.`))
    },
  },
  {
    id: 'tool-effects',
    demands: 'Every tool says what a repeated call does',
    section: 'Tool, member effect of this platform',
    mend: 'Declare effect: read, idempotent or once. Without it a call that broke off is never repeated.',
    needs: ['manifest'],
    run: (site) => warnedIf(undeclared(site, 'effect')),
  },
  {
    id: 'tool-scopes',
    demands: 'Every tool says which scope it needs',
    section: 'Scopes; tool, member scope of this platform',
    mend: 'Declare scope: read, write, delete or admin. Without it the scope is guessed from the name.',
    needs: ['manifest'],
    run: (site) => warnedIf(undeclared(site, 'scope')),
  },
  {
    id: 'scopes-offered',
    demands: 'auth.scopes offers every scope that a tool needs',
    section: 'Manifest, auth.scopes',
    mend: 'Add the scope to auth.scopes, or correct the scope of the tool. It can never be called otherwise.',
    needs: ['manifest', 'oauth2'],
    run: ({ manifest }) => {
      const offered: readonly string[] = manifest?.auth.type === 'oauth2' ? manifest.auth.scopes : []
      const tools = (manifest?.tools ?? []).map(describeTool).filter(({ scope }) => !offered.includes(scope))
      return failedIf(tools.map(({ name, scope }) => `${name} needs ${scope}.`))
    },
  },
]

export const isJsonType = (type: string): boolean => /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)

function onAnswer(site: Site, problems: (answer: NonNullable<Site['manifestAnswer']>) => string[]) {
  if (!site.manifestAnswer) return skipped('The site has no usable address.')
  const why = problems(site.manifestAnswer)
  if (why.length > 0) return failedIf(why.map((what) => `The site ${what}`))
  const { failure, status } = site.manifestAnswer
  return failure && status === 0 && !isAnswered(failure) ? skipped('The site could not be asked.') : passed
}

const isAnswered = (failure: string): boolean => failure === 'too-large'

const undeclared = ({ manifest }: Site, member: 'effect' | 'scope'): string[] => {
  const names = (manifest?.tools ?? []).filter((tool) => tool[member] === undefined).map(({ name }) => name)
  return names.length > 0 ? [`Not declared for ${names.join(', ')}.`] : []
}
