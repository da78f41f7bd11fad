import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readConfig } from '../../../src/config/config.ts'
import { createLogger } from '../../../src/logger.ts'
import { createServices, type Services } from '../../../src/services.ts'
import { createWhy } from '../../../src/why/why.ts'

/** The product's reading parts on a copy. */
export type SealedServices = Pick<Services, keyof Services>

/**
 * The product on a copy of the database, sealed: it has none of the vault keys, no provider, no payment gateway and no
 * mail server, it starts no loop and no worker, and it never looks for Temporal. The settings of the installation are
 * left out, except whether it has billing.
 */
export function openSealedServices(copyUrl: string, billing: string | undefined): SealedServices {
  const config = readConfig({
    DATABASE_URL: copyUrl,
    DATABASE_POOL: '4',
    VAULT_KEYS: `rehearsal:${randomBytes(32).toString('base64')}`,
    JWT_PRIVATE_KEY: newKey(),
    // The sandbox of payments is a table of the copy.
    ...(billing !== undefined && { BILLING: billing === 'off' ? 'off' : 'sandbox' }),
  })
  const services = createServices(config, createLogger('silent', 'rehearsal'))
  const reachability = { look: () => Promise.resolve({ reachable: true, since: null }) }
  const why = createWhy({ ...services, reconciler: services.runs.reconciler, reachability })
  return { ...services, why }
}

const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
