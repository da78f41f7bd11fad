import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Facts } from '../../conformance/facts.ts'
import type { LocalConfig } from '../../src/config/local-config.ts'
import type { ModelsConfig } from '../../src/config/models-config.ts'
import { firstAdminFile } from './first-admin.ts'
import type { Addresses } from './stack.ts'

/**
 * The facts that `npm run conformance` cannot get over HTTP. The file exists while everything runs, and contains a
 * password.
 */
export const conformanceFile = (folder: string): string => join(folder, 'conformance.json')

interface Started {
  addresses: Addresses
  local: LocalConfig
  models: ModelsConfig
}

export function writeConformanceFile(folder: string, started: Started): void {
  writeFileSync(conformanceFile(folder), JSON.stringify(factsOf(folder, started), null, 2), { mode: 0o600 })
}

function factsOf(folder: string, { addresses, local, models }: Started): Facts {
  const [issueTracker = '', badTools = '', brokenManifest = '', contacts = ''] = addresses.sites
  return {
    api: addresses.api,
    admin: JSON.parse(readFileSync(firstAdminFile(folder), 'utf8')) as Facts['admin'],
    sites: { issueTracker, badTools, brokenManifest, contacts },
    deadSite: addresses.deadSite,
    siteCaFile: addresses.siteCaFile,
    ownSites: { ports: [...local.CONFORMANCE_PORTS], ...addresses.siteCertificate },
    cards: { good: 'pm_card_visa', refused: 'pm_card_chargeDeclined', failing: 'pm_card_chargeCustomerFail' },
    directives: models.default === 'demo' && local.environment['DEMO_DIRECTIVES'] !== 'false',
  }
}
