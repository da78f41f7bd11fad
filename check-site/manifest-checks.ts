import { foreignHosts } from '../src/sites/foreign-hosts.ts'
import { describeTool } from '../src/sites/tool.ts'
import { failedIf, passed, skipped, warnedIf, withoutManifest, type Check, type Finding } from './check.ts'
import type { Outcome } from './exchange.ts'
import { askPlainHttp } from './plain-http.ts'
import type { Site } from './site.ts'

/**
 * The requirements before any tool is called (docs/specification.md, "Manifest" and "Transport and storage rules for
 * sites").
 */
export const manifestChecks: Check[] = [
  {
    id: 'site-address',
    requirement: 'The site has an https:// address',
    section: 'Transport and storage rules for sites',
    fix: 'Serve the site over HTTPS and give its origin, like https://site.example.',
    needs: [],
    run: ({ addressProblem }) => failedIf(addressProblem === undefined ? [] : [addressProblem]),
  },
  {
    id: 'site-reached',
    requirement: 'The site is reachable',
    section: 'Manifest',
    fix: 'Start the site, and check that it can be reached from here.',
    needs: [],
    run: (site) =>
      onAnswer(site, ({ failure }) => failure !== undefined && failure !== 'tls' && failure !== 'too-large'),
  },
  {
    id: 'certificate',
    requirement: 'The site speaks HTTPS with a valid certificate for its host name',
    section: 'Transport and storage rules for sites',
    fix: 'Install a certificate from a public authority, with its full chain. For a local authority, use --ca-file <file>.',
    needs: [],
    run: (site) => onAnswer(site, ({ failure }) => failure === 'tls'),
  },
  {
    id: 'plain-http',
    requirement: 'Nothing is served over plain HTTP',
    section: 'Manifest, Transport: HTTPS only',
    fix: 'Close the port, or answer every request there with a redirect to https://.',
    needs: ['manifest'],
    async run({ origin = '', options }) {
      const { hostname, port } = new URL(origin)
      const plainPort = options.httpPort ?? (port === '' ? 80 : undefined)
      if (plainPort === undefined)
        return skipped('The site is not on port 443.', 'Use --http-port to give the port for plain HTTP.')
      return failedIf(await askPlainHttp(hostname, plainPort))
    },
  },
  {
    id: 'manifest-status',
    requirement: 'GET /.well-known/toolsite.json is answered with 200, without a redirect',
    section: 'Manifest',
    fix: 'Serve the document at exactly this path of the origin, without authentication.',
    needs: [],
    run: (site) => onAnswer(site, ({ status }) => status !== 0 && status !== 200),
  },
  {
    id: 'manifest-size',
    requirement: 'The manifest is at most 256 KiB',
    section: 'Limits of the platform',
    fix: 'Shorten descriptions, or offer fewer tools.',
    needs: [],
    run: (site) => onAnswer(site, ({ failure }) => failure === 'too-large'),
  },
  {
    id: 'manifest-type',
    requirement: 'The manifest is served as application/json',
    section: 'Manifest',
    fix: 'Send the header Content-Type: application/json.',
    needs: [],
    run: (site) => {
      const type = site.manifestAnswer?.headers.get('content-type') ?? 'none'
      if (site.manifestAnswer?.status !== 200) return withoutManifest
      return warnedIf(isJsonType(type) ? [] : [`Its type is ${type}.`])
    },
  },
  {
    id: 'manifest-shape',
    requirement: 'The manifest has all required members, in the right form',
    section: 'Manifest',
    fix: 'The JSON Schema at <platform>/schemas/toolsite.json describes each member.',
    needs: [],
    run: ({ manifestAnswer, manifestProblems }) => {
      if (manifestAnswer?.status !== 200) return withoutManifest
      const problems = manifestProblems.map(({ path, message }) => `${path || 'The document'}: ${message}`)
      return failedIf(problems.length > 0 ? [...problems, `The site ${manifestAnswer.what}`] : [])
    },
  },
  {
    id: 'manifest-hosts',
    requirement: 'All addresses in the manifest are on the domain of the site',
    section: 'Manifest, server.url',
    fix: 'Move the addresses to the domain of the site; otherwise each user who connects the site must allow credentials to go elsewhere.',
    needs: ['manifest'],
    run: ({ origin = '', manifest }) => {
      const hosts = manifest ? foreignHosts(origin, manifest) : []
      return warnedIf(hosts.map((host) => `Credentials would go to ${host}.`))
    },
  },
  {
    id: 'tool-effects',
    requirement: 'Every tool declares what a repeated call does',
    section: 'Tool, member effect of this platform',
    fix: 'Declare effect: read, idempotent or once. Without an effect, an interrupted call is never repeated.',
    needs: ['manifest'],
    run: (site) => warnedIf(undeclared(site, 'effect')),
  },
  {
    id: 'tool-scopes',
    requirement: 'Every tool declares which scope it needs',
    section: 'Scopes; tool, member scope of this platform',
    fix: 'Declare scope: read, write, delete or admin. Without one, the scope is inferred from the name of the tool.',
    needs: ['manifest'],
    run: (site) => warnedIf(undeclared(site, 'scope')),
  },
  {
    id: 'scopes-offered',
    requirement: 'auth.scopes offers every scope that a tool needs',
    section: 'Manifest, auth.scopes',
    fix: 'Add the scope to auth.scopes, or correct the scope of the tool. Otherwise, the tool can never be called.',
    needs: ['manifest', 'oauth2'],
    run: ({ manifest }) => {
      const offered: readonly string[] = manifest?.auth.type === 'oauth2' ? manifest.auth.scopes : []
      const tools = (manifest?.tools ?? []).map(describeTool).filter(({ scope }) => !offered.includes(scope))
      return failedIf(tools.map(({ name, scope }) => `${name} needs ${scope}.`))
    },
  },
]

export const isJsonType = (type: string): boolean => /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)

function onAnswer(site: Site, isProblem: (answer: Outcome) => boolean): Finding {
  const answer = site.manifestAnswer
  if (!answer) return withoutManifest
  if (isProblem(answer)) return failedIf([`The site ${answer.what}`], answer.fix)
  return answer.failure && answer.failure !== 'too-large' ? withoutManifest : passed
}

const undeclared = ({ manifest }: Site, member: 'effect' | 'scope'): string[] => {
  const names = (manifest?.tools ?? []).filter((tool) => tool[member] === undefined).map(({ name }) => name)
  return names.length > 0 ? [`Not declared for ${names.join(', ')}.`] : []
}
