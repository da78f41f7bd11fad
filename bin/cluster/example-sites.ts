import { join } from 'node:path'
import { shareCatalogue } from '../local/catalogue.ts'
import { sitesProgram } from '../local/node-program.ts'
import type { Addresses } from '../local/stack.ts'
import type { Ground } from './ground.ts'
import { root } from './processes.ts'

/**
 * Starts the example sites of `npm start`. Returns the settings with which the platform may use them, their addresses, and
 * the ports for the conformance check's own sites.
 */
export async function startExampleSites(ground: Ground, url: string) {
  const { folder, environment, certificates, say } = ground
  const [ports, dead, ownPorts] = [ground.takePorts(4), ground.takePort(), ground.takePorts(8)]
  const program = sitesProgram({
    file: join(root, 'bin/sites.ts'),
    certificates: join(folder, 'certificates'),
    data: join(folder, 'sites'),
    ports,
    redirectUri: `${url}/vault/oauth/callback`,
    env: environment,
  })
  say('Starting the example sites ...')
  await ground.add(() => program).start()
  const { caFile, certFile, keyFile } = certificates
  const sites = ports.map((port) => `https://127.0.0.1:${port}`)
  const given = environment['CATALOGUE_FOLDERS']
  return {
    ownPorts,
    sites: {
      sites,
      deadSite: `https://127.0.0.1:${dead}`,
      siteCaFile: caFile,
      siteCertificate: { certFile, keyFile },
    } satisfies Partial<Addresses>,
    settings: {
      DEMO_DIRECTIVES: 'true',
      SITE_ALLOW: [...ports, dead, ...ownPorts].map((port) => `127.0.0.1:${port}`).join(','),
      SITE_LOOPBACK: 'true',
      SITE_CA_FILE: caFile,
      OUTGOING_COUNT_PORTS: 'true',
      ...(await shareCatalogue(folder, { sites, siteCaFile: caFile, given }, say)),
    },
  }
}
