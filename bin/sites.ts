import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startBadTools } from '../examples/sites/bad-tools/server.ts'
import { startBrokenManifest } from '../examples/sites/broken-manifest/server.ts'
import { startContacts } from '../examples/sites/contacts/server.ts'
import { startIssueTracker } from '../examples/sites/issue-tracker/server.ts'
import { createCertificates } from './local/certificates.ts'

/**
 * The example sites of a development machine: `node bin/sites.ts --certs <folder> --ports 4401,4402,4403,4404`. Use
 * `--redirect-uri <address>` if the platform is not at its default address, because OAuth redirects only there. With
 * `--data <folder>`, issued tokens outlive the sites. Prints one line of JSON per listening site. Ends on SIGTERM, on
 * SIGINT, and when its standard input closes, so the sites end with their parent.
 */
const starters = [
  { site: 'issue-tracker', start: startIssueTracker },
  { site: 'bad-tools', start: startBadTools },
  { site: 'broken-manifest', start: startBrokenManifest },
  { site: 'contacts', start: startContacts },
]

// Installed first, so that no signal is missed. The sites have nothing to save.
const end = () => process.exit(0)
process.once('SIGTERM', end)
process.once('SIGINT', end)
process.stdin.once('end', end).resume()

const { certs, ports, redirectUris, data } = readArguments()
const tls = await createCertificates(certs)
if (data !== undefined) mkdirSync(data, { recursive: true, mode: 0o700 })
for (const [index, { site, start }] of starters.entries()) {
  const { origin } = await start({
    port: ports[index] ?? 0,
    tls,
    redirectUris,
    tokenFile: data && join(data, `${site}-tokens.json`),
  })
  console.log(JSON.stringify({ site, origin }))
}

function readArguments() {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ options: { certs: text, ports: text, 'redirect-uri': text, data: text } })
  const ports = (values.ports ?? '').split(',').map(Number)
  const usable = ports.length === starters.length && ports.every((port) => Number.isInteger(port) && port >= 0)
  const redirectUri = values['redirect-uri']
  const redirectUris = redirectUri === undefined ? undefined : [redirectUri]
  if (values.certs !== undefined && usable) return { certs: values.certs, ports, redirectUris, data: values.data }
  console.error(
    `Usage: node bin/sites.ts --certs <folder> --ports <${starters.length} ports, separated by commas> [--redirect-uri <address>] [--data <folder>]`,
  )
  return process.exit(2)
}
